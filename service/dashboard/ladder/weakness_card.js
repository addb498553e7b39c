import {DASH, meanWithError, playerName} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Empty} from '../parts/empty.js';
import {Loading} from '../parts/loading.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const NOTHING = 'Nothing was measured in this profile. A job of the kind “exploitability” does.';
const ABOUT =
  'Points per end that the best of the responders wins, with 95 % intervals: ' +
  'without the hammer, with it, and both.';
const COLUMNS = [
  {head: 'Player'},
  {head: 'Throwing first', isNumber: true},
  {head: 'With hammer', isNumber: true},
  {head: 'Sum', isNumber: true},
  {head: 'Job'},
];

const points = part => (typeof part?.points === 'number' ? meanWithError(part) : DASH);

const rowOf = item => [
  playerName(item.name),
  points(item.sente),
  points(item.gote),
  points(item.sum),
  html`<a href="#/job/${item.job}">job ${item.job}</a>`,
];

/** items: undefined while they are not known. */
export function WeaknessCard({items}) {
  const content = () => {
    if (!items) return html`<${Loading} />`;
    if (!items.length) return html`<${Empty}>${NOTHING}<//>`;
    return html`
      <${Table} columns=${COLUMNS} rows=${items.map(rowOf)} kind="stack" />
      <p class="dim small">${ABOUT}</p>
    `;
  };
  return html`<${Card} title="How much can be won from them">${content()}<//>`;
}
