import {DASH, meanWithError, playerName} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const NOTHING = html`Nothing was measured in this profile:${' '}
  <a href="#/new/exploitability">measure a player</a>.`;
const ABOUT =
  'Points an end that the best of the responders takes from the player, with 95 % intervals, by ' +
  'the seat of the player. Of a perfect player the sum is 0.';

const points = part =>
  typeof part?.points === 'number' ? meanWithError(part.points, part.standard_error) : DASH;

const COLUMNS = [
  {head: 'Player', cell: ({name}) => playerName(name)},
  {
    head: 'Player throws first',
    term: 'sente',
    label: 'player throws first',
    isNumber: true,
    cell: ({sente}) => points(sente),
  },
  {
    head: 'Player has the hammer',
    term: 'gote',
    label: 'player has the hammer',
    isNumber: true,
    cell: ({gote}) => points(gote),
  },
  {head: 'Sum', term: 'exploitability', isNumber: true, cell: ({sum}) => points(sum)},
  {head: 'Job', cell: ({job}) => html`<a href="#/job/${job}">job ${job}</a>`},
];

/** items: undefined while they are not known. */
export const WeaknessCard = ({items}) => html`<${Card} title="How much can be won from them">
  <${Table} columns=${COLUMNS} items=${items} id="job" nothing=${NOTHING} kind="stack" />
  ${items?.length > 0 && html`<p class="dim small">${ABOUT}</p>`}
<//>`;
