import {ROTATION_NAMES} from '../curling/names.js';
import {number, percent} from '../lib/format.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const shotName = ({kind, shot}) =>
  shot?.rotation ? `${kind}, ${ROTATION_NAMES[shot.rotation]}` : kind;

const COLUMNS = [
  {head: 'Shot', cell: shotName},
  {head: 'Wins', isNumber: true, cell: one => percent(one.win_probability)},
  {head: 'Points', isNumber: true, cell: one => number(one.expected_score, 2)},
  {head: 'Works', isNumber: true, cell: one => percent(one.success, 0)},
  {head: 'Visits', isNumber: true, cell: one => number(one.visits)},
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
  return html`
    <h3>Best shots</h3>
    <${Table} columns=${[{head: '', cell: button}, ...COLUMNS]} items=${candidates} />
  `;
}
