// The board that hangs in arenas: points end by end, who has the hammer, the sums.
import {html} from '../vendor/preact.js';
import {endName, TEAM_NAMES, TEAMS} from './names.js';

const sumOf = list => list.reduce((sum, points) => sum + (points ?? 0), 0);

/** The number of an end as it stands at its head; extra ends are X, X2, … */
const headOf = (k, ends) => (k < ends ? k + 1 : `X${k > ends ? k - ends + 1 : ''}`);

function Row({team, name, scores, count, hasHammer}) {
  const points = Array.from({length: count}, (_, k) => scores[k] ?? '');
  return html`<tr>
    <th scope="row">
      <div>
        <span class="key ${team}"></span><span class="name" title=${name}>${name}</span>
        ${hasHammer && html`<span class="hammer" role="img" aria-label="has the hammer">⚒</span>`}
      </div>
    </th>
    ${points.map(point => html`<td>${point}</td>`)}
    <td class="sum">${sumOf(scores)}</td>
  </tr>`;
}

/** Per cent of the board for the names: what a few ends leave. */
const widthOfNames = count => Math.max(70 - 5 * count, 28);

/** The score of a game. board: {ends, end, hammer, scores}; the end that is played is marked.
 * names: of the players by team. */
export function Scoreboard({board: {ends, end, hammer, scores}, names = TEAM_NAMES}) {
  const played = Math.max(...TEAMS.map(team => scores[team].length));
  const count = Math.max(ends, end + 1, played);
  const head = (_, k) => html`<th
    scope="col"
    class=${k === end ? 'now' : null}
    aria-label=${k === end ? `${endName(k, ends)}, now` : endName(k, ends)}
  >
    ${headOf(k, ends)}
  </th>`;
  const row = team => html`<${Row}
    ...${{team, count}}
    name=${names[team]}
    scores=${scores[team]}
    hasHammer=${team === hammer}
  />`;
  return html`<table class="scoreboard" aria-label="score">
    <thead>
      <tr>
        <th scope="col" style=${{width: `${widthOfNames(count)}%`}}><span class="unseen">side</span></th>
        ${Array.from({length: count}, head)}
        <th scope="col" class="sum">Total</th>
      </tr>
    </thead>
    <tbody>
      ${TEAMS.map(row)}
    </tbody>
  </table>`;
}
