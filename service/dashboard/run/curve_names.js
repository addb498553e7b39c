// The names of curves. A name is "what/of/whom"; "win_rate_low/x" and "win_rate_high/x" are the
// ends of the interval of "win_rate/x". The kind of their job describes what they show: `described`
// is [{name, title, about, unit, minimum, maximum}] in the order of the page.
import {curveWords, descriptionOf} from './curve_words.js';

const APART = ['tendency']; // its charts are by the first two parts of the names

const parts = name => name.split('/');

/** The curves of the kinds of these runs. */
export const describedCurves = (kinds, runs) =>
  kinds.filter(({name}) => runs.some(({kind}) => kind === name)).flatMap(({curves}) => curves);

/** A value within its limits: the interval of a mean of few runs may exceed them. */
export function possible(name, value, described) {
  const {minimum = -Infinity, maximum = Infinity} = descriptionOf(name, described) ?? {};
  return typeof value === 'number' ? Math.min(Math.max(value, minimum), maximum) : value;
}

/** The heading of a chart: its name, with the unit. */
export function headOf(title, described) {
  const unit = descriptionOf(title, described)?.unit;
  return `${curveWords(title, described)}${unit ? ` (${unit})` : ''}`;
}

/** What a chart shows, in a sentence. */
export const aboutOf = (title, described) =>
  descriptionOf(title, described)?.about ?? 'as the job reports it';

/** The curve that is an end ("low", "high") of the interval of another one. */
export const endOf = (name, end) => name.replace(/^[^/]+/, part => `${part}_${end}`);

function isEnd(name, known) {
  const of = name.replace(/^([^/]+)_(low|high)(?=\/|$)/, '$1');
  return of !== name && known.has(of);
}

/** The chart that a curve is in. */
function titleOf(name) {
  const count = APART.includes(parts(name)[0]) ? 2 : 1;
  return parts(name).slice(0, count).join('/');
}

/** Charts [{title, members, names}] in the order of the page; names: the members with the ends of
 * their intervals. isAlone: each curve has a chart of its own. */
export function groupCurves(names, isAlone, described) {
  const known = new Set(names);
  const groups = new Map();
  for (const name of names.filter(one => !isEnd(one, known))) {
    const title = isAlone ? name : titleOf(name);
    groups.set(title, [...(groups.get(title) ?? []), name]);
  }
  const ends = name => ['low', 'high'].map(end => endOf(name, end)).filter(end => known.has(end));
  const place = ({title}) => {
    const at = described.indexOf(descriptionOf(title, described));
    return at < 0 ? described.length : at;
  };
  return [...groups]
    .map(([title, members]) => ({title, members, names: [...members, ...members.flatMap(ends)]}))
    .sort((a, b) => place(a) - place(b) || (a.title < b.title ? -1 : 1));
}
