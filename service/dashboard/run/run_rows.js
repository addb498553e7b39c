// Which runs are shown, in which order, and what differs between them.
import {number, words} from '../lib/format.js';
import {jobWords} from '../lib/job_words.js';

export const ORDERS = {
  newest: 'newest first',
  highest: 'highest value first',
  lowest: 'lowest value first',
};
/** Which value of a curve; the API has them as `last_values` and so on. */
export const VALUES = {last: 'last', highest: 'highest', lowest: 'lowest'};
export const TOGETHER_MOST = 128; // runs on one page
const COLUMNS_MOST = 8; // of what differs

/** A run whose job runs but that has measured nothing waits for its turn. */
export const stateOf = ({state, metrics}) =>
  state === 'leased' && !metrics.length ? 'not begun' : state;

export const tagWords = tags =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** The names of all metrics of some runs. */
export const metricsOf = runs => [...new Set(runs.flatMap(run => run.metrics))].sort();

/** What a filter looks at. */
const textOf = run =>
  [
    run.id,
    run.kind,
    jobWords(run.kind, run.spec),
    JSON.stringify(run.spec),
    tagWords(run.tags),
    stateOf(run),
    `seed ${run.seed} job ${run.job}`,
  ]
    .join(' ')
    .toLowerCase();

/** The value that the view shows of a run; null: it has none, or it is still loading. */
const valueOf = (run, {metric, which}) => run[`${which}_values`]?.[metric] ?? null;

/** A row of runs with their values; value: their mean. */
function rowOf(runs, view) {
  const values = runs.map(run => valueOf(run, view)).filter(value => value !== null);
  const value = values.length ? values.reduce((sum, one) => sum + one) / values.length : null;
  return {...runs[0], runs, values, value};
}

function byJob(runs) {
  const jobs = new Map();
  for (const run of runs) jobs.set(run.job, [...(jobs.get(run.job) ?? []), run]);
  return [...jobs.values()];
}

function compare(sign) {
  return ({value: a}, {value: b}) =>
    a === null || b === null ? (a === null) - (b === null) : sign * (a - b);
}

/** The runs that have all words of the filter, in the order of the view, as rows: members of the
 * (first) run, with {runs, values, value}. One row for each run, or for each job. */
export function shownRows(runs, view) {
  const wanted = view.words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = runs.filter(run => {
    const own = textOf(run);
    return wanted.every(word => own.includes(word));
  });
  const rows = (view.isByJob ? byJob(found) : found.map(run => [run])).map(own => rowOf(own, view));
  if (view.order === 'newest' || !view.metric) return rows;
  return rows.toSorted(compare(view.order === 'lowest' ? 1 : -1));
}

/** "0.52", or of several runs the mean and the extremes: "0.52 (0.48 to 0.55)". */
export function valueWords({values, value}) {
  if (values.length < 2) return number(value);
  return `${number(value)} (${number(Math.min(...values))} to ${number(Math.max(...values))})`;
}

/** The members of specs as "limits.time_ms": value. */
function flat(value, path = '') {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return [[path, value === undefined ? null : value]];
  return Object.entries(value).flatMap(([name, one]) => flat(one, path ? `${path}.${name}` : name));
}

const cellText = value =>
  typeof value === 'number' ? number(value) : value === undefined ? null : String(value);

/** What differs between the specs of runs: [{name, values}], values in the order of the runs. */
export function differences(runs) {
  const specs = runs.map(run => Object.fromEntries(flat(run.spec)));
  const names = [...new Set(specs.flatMap(Object.keys))].filter(name => name !== 'seeds');
  return names
    .map(name => ({name: words(name), values: specs.map(spec => cellText(spec[name]))}))
    .filter(({values}) => new Set(values).size > 1);
}

/** A column for each member of the specs that differs. */
export const specColumns = runs =>
  differences(runs)
    .slice(0, COLUMNS_MOST)
    .map(({name, values}) => ({head: name, cell: (run, k) => values[k]}));
