import {number} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const NOTHING = 'None yet: the first comes with the first checkpoint.';

/** The players that a training has made so far. */
export function PoliciesCard({run, title}) {
  const playerOf = ({name}) => `${run.id}.${name}`;
  const board = policy =>
    new URLSearchParams({player: playerOf(policy), profile: run.spec.profile});
  const link = policy => html`<a href="#/board?${board(policy)}">Ask this player</a>`;
  const columns = [
    {head: 'Policy', cell: ({name}) => name},
    {head: 'Ends', isNumber: true, cell: ({step}) => number(step)},
    {head: 'Weights', cell: ({sha256}) => sha256.slice(0, 12)},
    {head: '', cell: link},
  ];
  const [first] = run.policies;
  return html`<${Card} title=${title} hidden=${run.kind !== 'train'}>
    <${Table} columns=${columns} items=${run.policies} id="name" nothing=${NOTHING} />
    ${first && html`<p class="help">In queries and jobs: ${playerOf(first)}</p>`}
  <//>`;
}
