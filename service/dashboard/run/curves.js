// The points of the curves of some runs, loaded when their charts come into sight.
import {post} from '../lib/api.js';

// Limits of a query: the names that the service accepts, and the points of all its curves together,
// so that a page of many curves stays light. Zooming in loads finer points.
const NAMES_MAX = 64;
const POINTS_MAX = 8000;
const POINTS_LEAST = 60;

const keyOf = (run, name) => `${run ?? ''} ${name}`;

export class Curves {
  #runs;
  #signal;
  #held = new Map(); // points by run and name; no run: the mean over all
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

  /** The points of a curve, or undefined; run null: the mean over all. */
  points(run, name) {
    return this.#held.get(keyOf(run, name));
  }

  /** [{run, points}] of all that is held. */
  all() {
    return [...this.#held].map(([key, points]) => ({run: key.split(' ')[0] || null, points}));
  }

  /** Resolves when the curves of these names are there. range: {from_step, to_step}, null: no
   * bound; mean: over the runs; width: pixels that a curve is drawn on. */
  async load({names, range, mean, width}) {
    const asked = JSON.stringify([range, mean]);
    if (asked !== this.#asked) {
      this.#asked = asked;
      this.#held.clear();
      this.forget();
    }
    const loads = this.#loads;
    const missing = names.filter(name => !loads.has(name));
    const body = this.#body(missing.length, {range, mean, width});
    for (let k = 0; k < missing.length; k += NAMES_MAX) {
      const part = missing.slice(k, k + NAMES_MAX);
      const query = this.#ask({...body, names: part}, loads);
      part.forEach(name => loads.set(name, query));
    }
    await Promise.all(names.map(name => loads.get(name)));
  }

  #body(names, {range, mean, width}) {
    const lines = names * (mean ? 1 : this.#runs.length);
    const most = Math.min(Math.round(width), Math.floor(POINTS_MAX / lines));
    const bounds = Object.entries(range).filter(([, value]) => value !== null);
    return {
      runs: this.#runs,
      max_points: Math.max(most, POINTS_LEAST),
      ...Object.fromEntries(bounds),
      ...(mean ? {aggregate: 'mean'} : {}),
    };
  }

  async #ask(body, loads) {
    try {
      const {curves} = await post('/v1/metrics/query', body, {signal: this.#signal});
      if (loads !== this.#loads) return; // the view has changed meanwhile
      for (const curve of curves) this.#held.set(keyOf(curve.run, curve.name), curve.points);
      this.changes++;
    } catch (error) {
      body.names.forEach(name => loads.delete(name));
      throw error;
    }
  }
}
