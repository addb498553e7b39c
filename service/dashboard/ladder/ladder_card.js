import {number, playerName} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {When} from '../parts/cells.js';
import {Loaded} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {EloBar} from './elo_bar.js';

const NOTHING =
  'No matches of this profile and length have been rated. ' +
  'Matches and tournaments are rated when they end.';

const advantageWords = ({seat_advantage_elo: elo}) =>
  elo === null ? '' : `Having the hammer first is worth ${elo.toFixed(0)} Elo. `;

function Ladder({ratings}) {
  const {items, anchor, at} = ratings;
  const range = {
    low: Math.min(...items.map(item => item.low)),
    high: Math.max(...items.map(item => item.high)),
  };
  const words = ({low, high}, between) => `${low.toFixed(0)} ${between} ${high.toFixed(0)}`;
  const interval = item => (item.player === anchor ? 'anchor' : words(item, 'to'));
  const columns = [
    {head: 'Player', cell: ({name}) => playerName(name)},
    {head: 'Elo', isNumber: true, cell: ({elo}) => elo.toFixed(0)},
    {head: words(range, '…'), cell: item => html`<${EloBar} item=${item} range=${range} />`},
    {head: '95 % interval', isNumber: true, cell: interval},
    {head: 'Pairs', isNumber: true, cell: ({pairs}) => number(pairs)},
  ];
  return html`
    <${Table} columns=${columns} items=${items} id="player" nothing=${NOTHING} view="ladder" />
    ${
      items.length > 0 &&
      html`<p class="dim small">${advantageWords(ratings)}Rated <${When} at=${at} />.</p>`
    }
  `;
}

/** ratings: undefined while they are not known. */
export const LadderCard = ({ratings, error}) => html`<${Card} title="Elo">
  <${Loaded} value=${ratings} error=${error}>${() => html`<${Ladder} ratings=${ratings} />`}<//>
<//>`;
