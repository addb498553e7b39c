import {settingOf, stateOf} from '../curling/board.js';
import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {post} from '../lib/api.js';
import {loadProfile} from '../lib/profiles.js';
import {Card} from '../parts/card.js';
import {ErrorBox} from '../parts/notes.js';
import {StyleTable} from '../parts/style_table.js';
import {html, useState} from '../vendor/preact.js';
import {shotOf} from './record.js';

const QUICK = 'random'; // a player that answers at once; only what is believed is wanted

/** What the throws of a side tell about its style. */
async function askStyle({head, shots}, side) {
  const profile = await loadProfile(head.profile);
  const history = shots
    .filter(shot => shot.side === side && !shot.conceded)
    .map(shot => ({before: stateOf(shot.board), shot: shotOf(shot.executed, profile)}));
  const [{board}] = shots;
  const {opponent} = await post('/v1/shots', {
    profile: head.profile,
    state: stateOf(board),
    setting: settingOf(board),
    player: QUICK,
    top_k: 0,
    history,
  });
  return opponent;
}

/** Whose style the throws of the players are like, as rink:opponent=model sees them. */
export function StyleCard({record, names}) {
  const [styles, setStyles] = useState(null);
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setStyles(await Promise.all(TEAMS.map(side => askStyle(record, side))));
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  const side = (team, k) => html`
    <h3>${names[team]} (${TEAM_NAMES[team]})</h3>
    <${StyleTable} opponent=${styles[k]} />
  `;
  return html`<${Card} title="Styles" isTool=${!styles}>
    <p class="dim small">
      What the throws of this game tell about who threw them: the likeliest of the known players.
    </p>
    ${styles && TEAMS.map(side)}
    ${
      !styles &&
      html`<div class="buttons">
      <button disabled=${isBusy} onClick=${look}>Compare with known styles</button>
    </div>`
    }
    ${problem && html`<${ErrorBox} error=${problem} />`}
  <//>`;
}
