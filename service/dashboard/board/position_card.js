import {SHOTS} from '../curling/board.js';
import {TEAM_NAMES, TEAMS} from '../curling/teams.js';
import {useProfiles} from '../curling/profiles.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {CommittedInput} from '../parts/committed_input.js';
import {Labelled} from '../parts/labelled.js';
import {Select} from '../parts/select.js';
import {html} from '../vendor/preact.js';
import {PasteState} from './paste_state.js';

const ENDS_MOST = 256;

const Count = ({label, most, value, onCount}) => html`<${Labelled} label=${label}>
  <${CommittedInput}
    type="number"
    min="1"
    max=${most}
    value=${value}
    onCommit=${(text, count) => Number.isFinite(count) && onCount(count)}
  />
<//>`;

/** The points of a team, end by end. */
function Scores({label, list, onScores}) {
  const commit = text => onScores(text.split(/[ ,]+/).filter(Boolean).map(Number));
  return html`<${Labelled} label=${label}>
    <${CommittedInput}
      inputmode="numeric"
      placeholder="2, 0, 1"
      value=${list.map(score => score ?? 0).join(', ')}
      onCommit=${commit}
    />
  <//>`;
}

function Fields({session}) {
  const {board} = useStore(session);
  const profiles = useProfiles(board.profile);
  const edit = changes => session.edit(changes);
  const {profile, end, shot, hammer, scores} = board;
  const shown = Math.min(shot, SHOTS - 1) + 1;
  const setScores = team => list => session.setScores(team, list);
  const setHammer = one => edit({hammer: one});
  return html`<div class="fields">
    <${Labelled} label="Profile">
      <${Select} values=${profiles} value=${profile} onSelect=${one => edit({profile: one})} />
    <//>
    <${Count}
      label="End"
      most=${ENDS_MOST}
      value=${end + 1}
      onCount=${one => session.setEnd(one - 1)}
    />
    <${Count}
      label="Next shot (1 to ${SHOTS})"
      most=${SHOTS}
      value=${shown}
      onCount=${one => edit({shot: one - 1})}
    />
    <${Labelled} label="Hammer">
      <${Select} values=${TEAMS} names=${TEAM_NAMES} value=${hammer} onSelect=${setHammer} />
    <//>
    <${Scores}
      label="Score of red, end by end"
      list=${scores.team0}
      onScores=${setScores('team0')}
    />
    <${Scores} label="Score of yellow" list=${scores.team1} onScores=${setScores('team1')} />
  </div>`;
}

/** Adds a stone and gives it the focus, so that the keys move it. */
function addStone(session, team) {
  const slot = session.addStone(team);
  if (slot === null) return;
  const name = `${team}/${slot}`;
  requestAnimationFrame(() => document.querySelector(`[data-stone="${name}"]`)?.focus());
}

/** The position, as numbers. */
export function PositionCard({session}) {
  const adder = team => html`<button onClick=${() => addStone(session, team)}>
    <span class="key ${team}"></span>${`Add ${TEAM_NAMES[team]}`}
  </button>`;
  return html`<${Card} title="Position">
    <${Fields} session=${session} />
    <div class="buttons">
      ${TEAMS.map(adder)}
      <button onClick=${() => session.clear()}>Clear</button>
    </div>
    <${PasteState} session=${session} />
  <//>`;
}
