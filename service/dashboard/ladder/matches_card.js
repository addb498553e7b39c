import {DASH, number, playerName} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {MatchLink, When} from '../parts/cells.js';
import {Empty} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {html, useEffect, useRef} from '../vendor/preact.js';

function shareWords({win_percent: share, interval_percent: interval}) {
  const [low, high] = interval ?? [];
  const isKnown = typeof low === 'number' && typeof high === 'number';
  return `${share.toFixed(1)} %${isKnown ? ` (${low.toFixed(0)} to ${high.toFixed(0)})` : ''}`;
}

function gamesWords({with_first_hammer: first, without_first_hammer: last} = {}) {
  if (!first && !last) return DASH;
  const games = part => (part ? `${part.wins}–${part.draws}–${part.losses}` : DASH);
  return `${games(first)} with, ${games(last)} without`;
}

const matchLink = ({id, a_name: name}) =>
  html`<${MatchLink} id=${id}>${`${id}: ${playerName(name)}`}<//>`;

const COLUMNS = [
  {head: 'Match', cell: matchLink},
  {head: 'Share of the first', label: 'share of the first', cell: ({result}) => shareWords(result)},
  {head: 'Pairs', isNumber: true, cell: ({pairs}) => number(pairs)},
  {head: 'Won–drawn–lost', label: 'won–drawn–lost', cell: ({result}) => gamesWords(result.a)},
  {head: 'When', cell: ({at}) => html`<${When} at=${at} />`},
];

function Matches({pair: {a, b, matches}}) {
  const place = useRef(null);
  useEffect(() => place.current.scrollIntoView({block: 'nearest'}), [matches]);
  return html`<div ref=${place}>
    <p><b>${a}</b> against <b>${b}</b></p>
    <${Table} columns=${COLUMNS} items=${matches} kind="stack" />
    <p class="dim small">
      Games of the first player, with and without the hammer in the first end.
    </p>
  </div>`;
}

/** The matches between two players; pair: {a, b, matches}, or null. */
export const MatchesCard = ({pair, hidden}) => html`<${Card} title="Matches" hidden=${hidden}>
  ${
    pair
      ? html`<${Matches} pair=${pair} />`
      : html`<${Empty}>Choose a field of the table above.<//>`
  }
<//>`;
