// Which runs are shown, in which order, and what differs between them.
import {number, words} from './format.js';
import {jobWords} from './job_words.js';

export const ORDERS = {
  newest: 'newest first',
  highest: 'highest value first',
  lowest: 'lowest value first',
};
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

function compare(metric, sign) {
  const value = run => run.last_values[metric] ?? null;
  return (a, b) => {
    if (value(a) === null || value(b) === null) return (value(a) === null) - (value(b) === null);
    return sign * (value(a) - value(b));
  };
}

/** The runs that have all words of the filter, in the order of the view. */
export function shownRuns(runs, {words: text, metric, order}) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = runs.filter(run => {
    const own = textOf(run);
    return wanted.every(word => own.includes(word));
  });
  if (order === 'newest' || !metric) return found;
  return found.toSorted(compare(metric, order === 'lowest' ? 1 : -1));
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
