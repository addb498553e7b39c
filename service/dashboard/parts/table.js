import {DASH} from '../lib/format.js';
import {html} from '../vendor/preact.js';
import {Loaded} from './notes.js';
import {Term} from './term.js';

function Head({column: {head, isNumber, term}}) {
  if (!head) return html`<td></td>`;
  const words = term ? html`<${Term} word=${term}>${head}<//>` : head;
  return html`<th scope="col" class=${isNumber ? 'number' : null}>${words}</th>`;
}

/** A head before a value in a line of text: "Took" is "took", "Elo" and "CPU" stay. */
const lower = head => (/^(Elo|[A-Z]{2})/.test(head) ? head : head[0].toLowerCase() + head.slice(1));

function Cell({column: {head, label, isNumber, wide}, children}) {
  const look = isNumber ? 'number' : wide;
  const attributes = {class: look, 'data-head': label ?? (isNumber && head ? lower(head) : null)};
  return html`<td ...${attributes}>${children ?? DASH}</td>`;
}

/** Rows of items; a row keeps its elements wherever it moves.
 * columns: [{head, cell(item, number of the row), isNumber, wide, label, term}]. isNumber: aligned
 *   to the right. wide: a class ("what") that takes the room that is left. label: stands before the
 *   cell where rows stand as blocks. term: the word of the glossary that the head is.
 * items, error, nothing: see Loaded. id: the member that tells the items apart.
 * kind "stack": on narrow screens rows stand as blocks.
 * label: of a table that may be wider than its place and has nothing in it to focus. */
export function Table({columns, items, error, nothing, id = 'id', kind, view, label}) {
  const row = (item, k) =>
    html`<tr key=${item[id]}>
      ${columns.map(column => html`<${Cell} column=${column}>${column.cell(item, k)}<//>`)}
    </tr>`;
  const region = label && {tabindex: 0, role: 'region', 'aria-label': label};
  return html`<${Loaded} value=${items} error=${error} nothing=${nothing}>
    ${list => html`<div class=${view ? `scroll ${view}` : 'scroll'} ...${region}>
      <table class=${kind}>
        <thead><tr>${columns.map(column => html`<${Head} column=${column} />`)}</tr></thead>
        <tbody>${list.map(row)}</tbody>
      </table>
    </div>`}
  <//>`;
}

/** The items of usePages() in a table, with a button for those that follow. */
export function PagedTable({list: {items, error, more}, ...rest}) {
  return html`
    <${Table} ...${rest} items=${items} error=${error} />
    <button hidden=${!more} onClick=${more}>More</button>
  `;
}
