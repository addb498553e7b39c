import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {Scoreboard} from '../curling/scoreboard.js';
import {Sheet} from '../curling/sheet.js';
import {text} from '../lib/api.js';
import {loadProfiles} from '../lib/profiles.js';
import {useStore} from '../lib/store.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {LoadedPage} from '../parts/notes.js';
import {html, useEffect, useMemo} from '../vendor/preact.js';
import {useKeys} from './keys.js';
import {readRecord} from './record.js';
import {Replay} from './replay.js';
import {ReviewCard} from './review_card.js';
import {ShotCard} from './shot_card.js';
import {StyleCard} from './style_card.js';
import {ValueGraph} from './value_graph.js';

const UP = {href: '#/games', words: 'To all games'};

const Players = ({id, names, match}) => html`
  <p class="players">
    ${TEAMS.map(
      team => html`<span class="named">
        <span class="key ${team}"></span><span>${names[team]} (${TEAM_NAMES[team]})</span>
      </span>`,
    )}
  </p>
  <p>
    <a href="#/games/${match}">all games of the match</a>${', '}
    <a href="#/hand?game=${id}">the hand of its throws</a>
  </p>
`;

function Game({id, record}) {
  const replay = useMemo(() => new Replay(record), [record]);
  const {stones, at} = useStore(replay);
  const {head, shots} = record;
  const names = {team0: head.throws_first, team1: head.throws_last};
  useKeys(replay);
  useEffect(() => {
    replay.go(0);
    return () => replay.leave();
  }, [replay]);
  return html`
    <h1>Game ${id}</h1>
    <${Players} id=${id} names=${names} match=${head.match} />
    <div class="board">
      <div class="ice">
        <${Scoreboard} board=${shots[at].board} names=${names} />
        <${Sheet} stones=${stones} marks=${replay.marks} />
      </div>
      <div>
        <${ShotCard} replay=${replay} names=${names} />
        <${Card} title="Win probability of red">
          <${ValueGraph} shots=${shots} replay=${replay}>
            End by end, as each player expects it at its own shots. Two players judge differently: a
            step between two shots is no mistake.
          <//>
        <//>
        <${ReviewCard} id=${id} />
        <${StyleCard} record=${record} names=${names} />
      </div>
    </div>
  `;
}

/** A game shot by shot: the called shot and the thrown one. */
export function GamePage({id}) {
  const headers = {Accept: 'application/x-ndjson'};
  const loaded = useLoaded(
    async signal => {
      await loadProfiles();
      const lines = await text(`/v1/games/${encodeURIComponent(id)}`, {signal, headers});
      return readRecord(lines.trim().split('\n').map(JSON.parse));
    },
    [id],
  );
  return html`<${LoadedPage} title="Games" up=${UP} loaded=${loaded}>
    ${record => html`<${Game} id=${id} record=${record} />`}
  <//>`;
}
