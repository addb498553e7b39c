// The points of the curves of some runs, loaded when their charts come into sight.
import {post} from '../lib/api.js';

// Limits of a query: the names that the service accepts, and the points of all its curves together,
// so that a page of many curves stays light. Zooming in loads finer points.
const NAMES_MAX = 64;
const POINTS_MAX = 8000;
const POINTS_LEAST = 60;
const ANSWER_MOST = 200000; // points of all curves of an answer, as the service has it

const keyOf = (run, name) => `${run} ${name}`;

export class Curves {
  #runs;
  #signal;
  #held = new Map(); // points by run and name, or by the runs of a mean, "ID,ID", and name
  #loads = new Map(); // by name: the query that brings it, or has brought it
  #asked = ''; // the range and the mean of all of these

  changes = 0; // of what is held

  constructor(runs, signal) {
    this.#runs = runs;
    this.#signal = signal;
  }

  /** The next load() asks for all points again. */
  forget() {
    this.#loads = new Map();
  }

  /** The points of a curve, or undefined; run: its id, or those of a mean, "ID,ID". */
  points(run, name) {
    return this.#held.get(keyOf(run, name));
  }

  /** [{run, points}] of all that is held. */
  all() {
    return [...this.#held].map(([key, points]) => ({run: key.split(' ')[0], points}));
  }

  /** Resolves when the curves of these names are there. range: {from_step, to_step}, null: no
   * bound; means: lists of runs, "ID,ID", to take the mean over; width: pixels that a curve is
   * drawn on. */
  async load({names, range, means, width}) {
    const asked = JSON.stringify([range, means]);
    if (asked !== this.#asked) {
      this.#asked = asked;
      this.#held.clear();
      this.forget();
    }
    const loads = this.#loads;
    const missing = names.filter(name => !loads.has(name));
    const body = this.#body(missing.length, {range, means, width});
    const fit = Math.floor(ANSWER_MOST / (this.#runs.length * body.max_points));
    const most = Math.max(Math.min(NAMES_MAX, fit), 1);
    for (let k = 0; k < missing.length; k += most) {
      const part = missing.slice(k, k + most);
      const query = this.#askAll({...body, names: part}, means, loads);
      part.forEach(name => loads.set(name, query));
    }
    await Promise.all(names.map(name => loads.get(name)));
  }

  #body(names, {range, means, width}) {
    const lines = names * (this.#runs.length + means.length);
    const most = Math.min(Math.round(width), Math.floor(POINTS_MAX / lines));
    const bounds = Object.entries(range).filter(([, value]) => value !== null);
    return {max_points: Math.max(most, POINTS_LEAST), ...Object.fromEntries(bounds)};
  }

  /** The curves of all runs, and the means. */
  async #askAll(body, means, loads) {
    try {
      const mean = key => this.#ask({...body, runs: key.split(','), aggregate: 'mean'}, loads, key);
      const single = this.#runs.filter(run => !means.some(key => key.includes(run)));
      const own = single.length ? [this.#ask({...body, runs: single}, loads)] : [];
      await Promise.all([...own, ...means.map(mean)]);
    } catch (error) {
      body.names.forEach(name => loads.delete(name));
      throw error;
    }
  }

  async #ask(body, loads, key) {
    const {curves} = await post('/v1/metrics/query', body, {signal: this.#signal});
    if (loads !== this.#loads) return; // the view has changed meanwhile
    for (const curve of curves) this.#held.set(keyOf(key ?? curve.run, curve.name), curve.points);
    this.changes++;
  }
}
