import {hasEnded} from '../lib/job_states.js';
import {columnText, foundColumns, isTable, labelWords, linesOf} from '../lib/result_value.js';
import {Card, Fold} from '../parts/card.js';
import {Empty} from '../parts/notes.js';
import {Facts, Properties} from '../parts/properties.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const isText = ({format}) => format === 'text' || format === 'figures';

/** A value with the interval from the next column. */
function withInterval(column, next, result) {
  const text = columnText(column, result);
  const ends = next?.format === 'interval' && columnText({...next, unit: null}, result);
  return text && ends ? `${text} (${ends})` : text;
}

/** Rows [label, value] of the columns with a value. An interval joins the value before it. */
function ResultList({view, job}) {
  const columns = foundColumns(view, job);
  const row = (column, k) => [
    labelWords(column, job.spec),
    withInterval(column, columns[k + 1], job.result),
  ];
  const rows = columns.map(row).filter(([, text], k) => text && columns[k].format !== 'interval');
  if (!rows.length) return null;
  return html`<${Facts} rows=${rows.map(([label, text]) => [label, html`<b>${text}</b>`])} />`;
}

/** A table without the columns that are empty in all lines. */
function ResultTable({view, result}) {
  const lines = linesOf(view, result);
  const columns = view.columns.filter(column => lines.some(line => columnText(column, line)));
  if (!columns.length) return null;
  const shown = (column, k) => ({
    head: labelWords(column),
    label: k > 0 ? labelWords(column) : undefined,
    isNumber: !isText(column),
    wide: column.format === 'figures' ? 'what' : null,
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
const ResultView = ({view, job}) =>
  isTable(view)
    ? html`<${ResultTable} view=${view} result=${job.result} />`
    : html`<${ResultList} view=${view} job=${job} />`;

const Result = ({job, kind}) => html`
  ${kind?.result.map(view => html`<${ResultView} view=${view} job=${job} />`)}
  <${Fold} title="All of it"><${Properties} value=${job.result} /><//>
  <${Fold} title="As JSON"><pre>${JSON.stringify(job.result, null, 1)}</pre><//>
`;

/** The result of a job: first as its kind describes it, then in full. Nothing before there is
 * one. */
export function ResultCard({job, kind}) {
  if (!job.result && !hasEnded(job)) return null;
  return html`<${Card} title="Result">
    ${
      job.result
        ? html`<${Result} job=${job} kind=${kind} />`
        : html`<${Empty}>It ended without a result.<//>`
    }
  <//>`;
}
