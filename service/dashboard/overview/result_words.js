// The result of a job in a few words.
import {TEAM_NAMES} from '../curling/names.js';
import {counted, DASH, number} from '../lib/format.js';
import {
  columnText,
  figuresOf,
  foundColumns,
  isTable,
  labelWords,
  linesOf,
} from '../lib/result_value.js';

// Formats, most informative first. Of several means, the last one is the sum.
const TELLING = ['mean', 'tenths', 'signed', 'share', 'figures', 'number', 'duration'];

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
  return column && `${labelWords(column, job.spec)} ${columnText(column, job.result)}`;
}

/** A table: the subject of its first line, then the label and the value of one column. */
function tableWords(view, {result}) {
  const [line] = linesOf(view, result);
  const name = view.columns.find(({format}) => format === 'text') ?? view.columns[0];
  const columns = view.columns.filter(column => column !== name && column.member !== 'number');
  const column = line && tellingColumn(columns, line);
  return column && `${columnText(name, line)}: ${column.label} ${columnText(column, line)}`;
}

/** "3 mistakes by red, 1 by yellow" */
const mistakeWords = teams =>
  teams
    .map(({team, mistakes}, k) =>
      [k > 0 ? mistakes : counted(mistakes, 'mistake'), 'by', TEAM_NAMES[team]].join(' '),
    )
    .join(', ');

/** "win rate: random 16.7, mean of 3 seeds": the first figure that was measured at the end. */
function trainingWords(runs) {
  const judged = runs.map(run => run.judged).filter(Boolean);
  const [first] = judged.length ? figuresOf(judged[0]) : [];
  if (!first || judged.length === 1) return first && `${first.name} ${first.text}`;
  const mean = judged.reduce((sum, one) => sum + one[first.key], 0) / judged.length;
  return `${first.name} ${number(mean)}, mean of ${judged.length} seeds`;
}

// No single column tells the results of these kinds.
const WORDS = {
  train: ({runs}) => runs && trainingWords(runs),
  review: ({teams}) => teams && mistakeWords(teams),
};

/** kind: its description (job_kinds.js), or undefined. */
export function resultWords(job, kind) {
  if (job.error) return `${job.error.code}: ${job.error.detail}`;
  if (!job.result) return DASH;
  const own = WORDS[job.kind]?.(job.result);
  if (own) return own;
  for (const view of kind?.result ?? []) {
    const words = isTable(view) ? tableWords(view, job) : listWords(view, job);
    if (words) return words;
  }
  return DASH;
}
