import {columnText, foundColumns, isTable, linesOf} from '../lib/result_value.js';
import {Facts} from '../parts/properties.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const isText = ({format}) => format === 'text' || format === 'figures';

/** A value with the interval that stands in the next column. */
function withInterval(column, next, result) {
  const text = columnText(column, result);
  const ends = next?.format === 'interval' && columnText({...next, unit: null}, result);
  return text && ends ? `${text} (${ends})` : text;
}

/** Rows [label, value] of the columns that have something to say. An interval joins the value
 * before it. */
function ResultList({view, job}) {
  const columns = foundColumns(view, job);
  const row = (column, k) => [column.label, withInterval(column, columns[k + 1], job.result)];
  const rows = columns.map(row).filter(([, text], k) => text && columns[k].format !== 'interval');
  return html`<${Facts} rows=${rows.map(([label, text]) => [label, html`<b>${text}</b>`])} />`;
}

/** A table with the columns that some line has something for. */
function ResultTable({view, result}) {
  const lines = linesOf(view, result);
  const columns = view.columns.filter(column => lines.some(line => columnText(column, line)));
  if (!columns.length) return null;
  const shown = column => ({
    head: column.label,
    isNumber: !isText(column),
    cell: line => columnText(column, line),
  });
  return html`<${Table}
    columns=${columns.map(shown)}
    items=${lines}
    kind="stack"
    label=${`${view.rows.join(', ')}: ${columns.map(({label}) => label).join(', ')}`}
  />`;
}

/** A part of a result as its kind describes it: a list of figures, or a table. */
export const ResultView = ({view, job}) =>
  isTable(view)
    ? html`<${ResultTable} view=${view} result=${job.result} />`
    : html`<${ResultList} view=${view} job=${job} />`;
