import {number, playerName} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Empty} from '../parts/empty.js';
import {ErrorBox} from '../parts/error_box.js';
import {Loading} from '../parts/loading.js';
import {Table} from '../parts/table.js';
import {When} from '../parts/when.js';
import {html} from '../vendor/preact.js';
import {EloBar} from './elo_bar.js';

const NOTHING =
  'No matches of this profile and length have been rated. ' +
  'Matches and tournaments are rated when they end.';

const columnsOf = ({low, high}) => [
  {head: 'Player'},
  {head: 'Elo', isNumber: true},
  {head: `${low.toFixed(0)} … ${high.toFixed(0)}`},
  {head: '95 % interval', isNumber: true},
  {head: 'Pairs', isNumber: true},
];

const advantageWords = ({seat_advantage_elo: elo}) =>
  elo === null ? '' : `Having the hammer first is worth ${elo.toFixed(0)} Elo. `;

function Ladder({ratings}) {
  const {items, anchor, at} = ratings;
  const range = {
    low: Math.min(...items.map(item => item.low)),
    high: Math.max(...items.map(item => item.high)),
  };
  const interval = ({player, low, high}) =>
    player === anchor ? 'anchor' : `${low.toFixed(0)} to ${high.toFixed(0)}`;
  const row = item => [
    playerName(item.name),
    item.elo.toFixed(0),
    html`<${EloBar} item=${item} range=${range} />`,
    interval(item),
    number(item.pairs),
  ];
  return html`
    <${Table} columns=${columnsOf(range)} rows=${items.map(row)} view="ladder" />
    <p class="dim small">${advantageWords(ratings)}Rated <${When} at=${at} />.</p>
  `;
}

/** ratings: undefined while they are not known. */
export function LadderCard({ratings, error}) {
  const content = () => {
    if (error) return html`<${ErrorBox} error=${error} />`;
    if (!ratings) return html`<${Loading} />`;
    if (!ratings.items.length) return html`<${Empty}>${NOTHING}<//>`;
    return html`<${Ladder} ratings=${ratings} />`;
  };
  return html`<${Card} title="Elo">${content()}<//>`;
}
