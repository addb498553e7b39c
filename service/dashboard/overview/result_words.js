// The result of a job in a few words.
import {DASH} from '../lib/format.js';
import {columnText, foundColumns, isTable, linesOf} from '../lib/result_value.js';

// Formats, most informative first. Of several means, the last one is the sum.
const TELLING = ['mean', 'tenths', 'signed', 'figures', 'number', 'duration'];

/** The most informative column among those with a text. */
function tellingColumn(columns, line) {
  const said = columns.filter(column => columnText(column, line));
  for (const format of TELLING) {
    const found = said.filter(column => column.format === format);
    if (found.length) return format === 'mean' ? found.at(-1) : found[0];
  }
  return null;
}

/** A list: the label and the value of one column. */
function listWords(view, job) {
  const column = tellingColumn(foundColumns(view, job), job.result);
  return column && `${column.label} ${columnText(column, job.result)}`;
}

/** A table: the subject of its first line, then the label and the value of one column. */
function tableWords(view, {result}) {
  const [line] = linesOf(view, result);
  const [name, ...columns] = view.columns;
  const column = line && tellingColumn(columns, line);
  return column && `${columnText(name, line)}: ${column.label} ${columnText(column, line)}`;
}

/** kind: its description (job_kinds.js), or undefined. */
export function resultWords(job, kind) {
  if (job.error) return `${job.error.code}: ${job.error.detail}`;
  for (const view of (job.result && kind?.result) || []) {
    const words = isTable(view) ? tableWords(view, job) : listWords(view, job);
    if (words) return words;
  }
  return DASH;
}
