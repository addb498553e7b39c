import {counted, percent} from '../lib/format.js';
import {html} from '../vendor/preact.js';
import {Table} from './table.js';

const LEAST = 0.005; // weights below are not shown

const COLUMNS = [
  {head: 'Throws like', cell: ({player}) => player},
  {head: 'Chance', isNumber: true, cell: ({weight}) => percent(weight, 0)},
];

function summary({throws, confidence, errs}) {
  const count = `${counted(throws, 'throw')} seen`;
  return `${count}, confidence ${percent(confidence, 0)}, expected to err: ${percent(errs, 0)}.`;
}

/** What the service believes about a side: known styles with their weights, the likeliest first. */
export function StyleTable({opponent}) {
  const styles = [...opponent.styles, {player: 'somebody unknown', weight: opponent.stranger}];
  const shown = styles.filter(one => one.weight >= LEAST).sort((a, b) => b.weight - a.weight);
  return html`
    <${Table} columns=${COLUMNS} items=${shown} id="player" />
    <p class="dim small">${summary(opponent)}</p>
  `;
}
