import {html} from '../vendor/preact.js';
import {DASH} from '../lib/format.js';

const classOf = ({isNumber, wide}) => (isNumber ? 'number' : wide);

function Head({column}) {
  if (!column.head) return html`<td></td>`;
  return html`<th scope="col" class=${column.isNumber ? 'number' : null}>${column.head}</th>`;
}

function Cell({column, children}) {
  const label = column.label ?? (column.isNumber ? column.head : null);
  return html`<td class=${classOf(column)} data-head=${label}>${children ?? DASH}</td>`;
}

/** columns: [{head, isNumber, wide, label}]. isNumber: aligned to the right. wide: a class ("what")
 * that takes the room that is left. label: stands before the cell where rows stand as blocks.
 * rows: lists of cells. kind "stack": on narrow screens rows stand as blocks.
 * label: of a table that may be wider than its place and has nothing in it to focus. */
export function Table({columns, rows, kind, view, label}) {
  const line = row =>
    html`<tr>
      ${columns.map((column, k) => html`<${Cell} column=${column}>${row[k]}<//>`)}
    </tr>`;
  const region = label && {tabindex: 0, role: 'region', 'aria-label': label};
  return html`<div class=${view ? `scroll ${view}` : 'scroll'} ...${region}>
    <table class=${kind}>
      <thead><tr>${columns.map(column => html`<${Head} column=${column} />`)}</tr></thead>
      <tbody>${rows.map(line)}</tbody>
    </table>
  </div>`;
}
