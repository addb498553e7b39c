import {fixed, number, playerName} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Player, When} from '../parts/cells.js';
import {Loaded} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {Term} from '../parts/term.js';
import {html} from '../vendor/preact.js';

const WIDTH = 100;
const EDGE = 2; // left free at both ends

/** A rating with its interval between the lowest and the highest of a ladder. */
function EloBar({item, range}) {
  const {elo, low, high} = item;
  const span = Math.max(range.high - range.low, 1);
  const x = at => EDGE + ((at - range.low) / span) * (WIDTH - 2 * EDGE);
  const thin = {'vector-effect': 'non-scaling-stroke'};
  const zero = html`<line class="zero" x1=${x(0)} x2=${x(0)} y1="0" y2="12" ...${thin} />`;
  return html`<svg
    viewBox="0 0 ${WIDTH} 12"
    preserveAspectRatio="none"
    role="img"
    aria-label="from ${fixed(low, 0)} to ${fixed(high, 0)}"
  >
    ${range.low < 0 && range.high > 0 && zero}
    <line class="bar" x1=${x(low)} x2=${x(high)} y1="6" y2="6" ...${thin} />
    <rect class="dot" x=${x(elo) - 0.8} width="1.6" y="2" height="8" />
  </svg>`;
}

const NOTHING = html`No matches of this profile and length have been rated: they are when they
  end. <a href="#/new/tournament">Play a tournament</a>`;

const advantageWords = ({seat_advantage_elo: elo}) =>
  elo === null ? '' : `Having the hammer first is worth ${fixed(elo, 0)} Elo. `;

const nameOf = (player, items) => items.find(item => item.player === player)?.name ?? player;

function Ladder({ratings}) {
  const {items, anchor, at} = ratings;
  const range = {
    low: Math.min(...items.map(item => item.low)),
    high: Math.max(...items.map(item => item.high)),
  };
  const words = ({low, high}, between) => `${fixed(low, 0)} ${between} ${fixed(high, 0)}`;
  const interval = item => (item.player === anchor ? 'anchor' : words(item, 'to'));
  const columns = [
    {head: 'Player', cell: ({name}) => html`<${Player} name=${name} />`},
    {head: 'Elo', term: 'Elo', isNumber: true, cell: ({elo}) => fixed(elo, 0)},
    {head: words(range, '…'), cell: item => html`<${EloBar} item=${item} range=${range} />`},
    {head: '95 % interval', isNumber: true, cell: interval},
    {head: 'Pairs', term: 'pair', isNumber: true, cell: ({pairs}) => number(pairs)},
  ];
  return html`
    <${Table} columns=${columns} items=${items} id="player" nothing=${NOTHING} view="ladder" />
    ${
      items.length > 0 &&
      html`<p class="dim small">
        Elo counts from the <${Term} word="anchor" />, ${playerName(nameOf(anchor, items))}.${' '}
        ${advantageWords(ratings)}Rated <${When} at=${at} />.
      </p>`
    }
  `;
}

/** ratings: undefined while they are not known. */
export const LadderCard = ({ratings}) => html`<${Card} title="Elo">
  <${Loaded} value=${ratings}>${() => html`<${Ladder} ratings=${ratings} />`}<//>
<//>`;
