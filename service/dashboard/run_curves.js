// How the curves of a run are named, put together and ordered; and their points, as the service
// thins them out for what can be seen.
import {post} from './api.js';

// Charts of several lines, and what comes first on the page.
const ORDER = ['win_rate', 'exploitability', 'reward', 'loss', 'entropy', 'tendency', 'ends_per_s', 'shots_per_s', 'share', 'memory', 'explore', 'eta', 'cpu_s'];
const TOGETHER = ['win_rate', 'exploitability', 'reward', 'loss', 'entropy', 'share', 'memory'];

const first = name => name.split('/')[0];

// What they are, and in which unit.
const ABOUT = {
  win_rate: 'per cent of the points in games of two ends, with 95 % intervals',
  exploitability: 'points of an end that the best of some responders wins, with 95 % intervals',
  reward: 'mean of about the last thousand ends',
  loss: 'of the networks, in their own units',
  entropy: 'of the policy, nats',
  tendency: 'share of each kind of shot among its own',
  ends_per_s: 'ends learnt from in a second',
  shots_per_s: 'shots thrown in a second',
  share: 'of the processor time of learning',
  memory: 'entries in each memory',
  explore: 'share of random shots',
  eta: 'share of the best response in its play',
  cpu_s: 'processor time of learning, seconds',
  throws_per_s: 'throws simulated in a second',
};
const BOUNDS = {win_rate: [0, 100], share: [0, 1], tendency: [0, 1]};

/** A value of the curve as far as it can be one: the mean of few runs may have a wider interval. */
export function possible(name, value) {
  const [low, high] = BOUNDS[first(name)] ?? [-Infinity, Infinity];
  return typeof value === 'number' ? Math.min(Math.max(value, low), high) : value;
}

const hasSeat = (name, seat) => name.split('/').includes(seat);

/** What a chart with these curves shows. */
export function aboutOf(title, names) {
  const seats = hasSeat(title, 'sente') ? ', without the hammer' : hasSeat(title, 'gote') ? ', with the hammer'
    : names.some(name => hasSeat(name, 'sente')) ? '; sente: without the hammer, gote: with it' : '';
  return (ABOUT[first(title)] ?? 'as the job reports it') + seats;
}

/** The curve that is the end of the interval of another one: "win_rate/x" has "win_rate_low/x". */
export const bandOf = (name, end) => name.replace(/^[^/]+/, part => `${part}_${end}`);

const isBand = (name, known) => /^[^/]+_(low|high)(\/|$)/.test(name) && known.has(name.replace(/^([^/]+)_(low|high)/, '$1'));

/** [[title, [names]] …] in the order of the page; ends of intervals are left to their curves. */
export function groupCurves(names, alone) {
  const known = new Set(names), groups = new Map();
  for (const name of names.filter(one => !isBand(one, known))) {
    const parts = name.split('/');
    const title = alone ? name : TOGETHER.includes(parts[0]) ? parts[0] : parts[0] === 'tendency' ? parts.slice(0, 2).join('/') : name;
    groups.set(title, [...groups.get(title) ?? [], name]);
  }
  const place = title => (ORDER.indexOf(first(title)) + ORDER.length + 1) % (ORDER.length + 1); // unknown ones at the end
  return [...groups].sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : a > b ? 1 : 0));
}

/** The value of a curve [[step, value, …] …] at a step, between its points on a line; null outside. */
export function interpolate(points, step) {
  let low = 0, high = points.length - 1;
  if (high < 0 || step < points[0][0] || step > points[high][0])
    return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= step)
      low = middle;
    else
      high = middle;
  }
  const [a, b] = [points[low], points[high]];
  if (typeof a[1] !== 'number' || typeof b[1] !== 'number')
    return null;
  return b[0] === a[0] ? a[1] : a[1] + (b[1] - a[1]) * (step - a[0]) / (b[0] - a[0]);
}

// Of a query: what the service takes, and what all its curves together get, so that a page of many
// curves stays light. To zoom is to ask for finer points.
const NAMES_MAX = 64, POINTS_MAX = 8000, POINTS_LEAST = 60;

/** The points of curves of some runs, by need. */
export class Curves {
  constructor(runs, signal) {
    this.runs = runs;
    this.signal = signal;
    this.held = new Map(); // points by run ('' for the mean over all) and name
    this.loads = new Map(); // by name: the query that brings it, or has brought it
    this.asked = ''; // what holds for all of these
    this.changes = 0; // of what is held
  }

  /** All are asked for anew when they are next wanted. */
  forget = () => { this.loads = new Map(); };
  points = (run, name) => this.held.get(`${run ?? ''} ${name}`);
  all = () => [...this.held].map(([key, points]) => ({run: key.split(' ')[0] || null, points}));

  /** Resolves when the curves of these names are there. range {from_step, to_step}: null, all; mean:
   * over the runs; width: pixels that a curve is drawn on. */
  async load({names, range, mean, width}) {
    const asked = JSON.stringify([range, mean]);
    if (asked !== this.asked) {
      this.asked = asked;
      this.held.clear();
      this.forget();
    }
    const loads = this.loads, missing = names.filter(name => !loads.has(name)), lines = missing.length * (mean ? 1 : this.runs.length);
    const body = {runs: this.runs, max_points: Math.max(Math.min(Math.round(width), Math.floor(POINTS_MAX / lines)), POINTS_LEAST),
      ...Object.fromEntries(Object.entries(range).filter(([, value]) => value !== null)), ...(mean ? {aggregate: 'mean'} : {})};
    for (let k = 0; k < missing.length; k += NAMES_MAX) {
      const part = missing.slice(k, k + NAMES_MAX), query = this.ask({...body, names: part}, loads);
      part.forEach(name => loads.set(name, query));
    }
    await Promise.all(names.map(name => loads.get(name)));
  }

  async ask(body, loads) {
    try {
      const {curves} = await post('/v1/metrics/query', body, {signal: this.signal});
      if (loads !== this.loads) // what is asked for now comes later
        return;
      for (const curve of curves)
        this.held.set(`${curve.run ?? ''} ${curve.name}`, curve.points);
      this.changes++;
    } catch (error) {
      body.names.forEach(name => loads.delete(name));
      throw error;
    }
  }
}
