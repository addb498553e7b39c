import {ROTATION_NAMES} from '../curling/shots.js';
import {number, percent} from '../lib/format.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const COLUMNS = [
  {head: ''},
  {head: 'Shot'},
  {head: 'Wins', isNumber: true},
  {head: 'Points', isNumber: true},
  {head: 'Works', isNumber: true},
  {head: 'Visits', isNumber: true},
];

/** The shots that a player has thought of; onChoose(k): one is to be thrown. */
export function BestShots({candidates, chosen, onChoose}) {
  if (!candidates.length) return null;
  const button = ({kind}, k) => html`<button
    aria-pressed=${String(k === chosen)}
    aria-label="shot ${k + 1}, ${kind}"
    onClick=${() => onChoose(k)}
  >
    ${k + 1}
  </button>`;
  const row = (one, k) => [
    button(one, k),
    one.shot?.rotation ? `${one.kind}, ${ROTATION_NAMES[one.shot.rotation]}` : one.kind,
    percent(one.win_probability),
    number(one.expected_score, 2),
    percent(one.success, 0),
    number(one.visits),
  ];
  return html`
    <h3>Best shots</h3>
    <${Table} columns=${COLUMNS} rows=${candidates.map(row)} />
  `;
}
