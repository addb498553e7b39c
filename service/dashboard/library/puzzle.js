// A puzzle: the user aims at the best shot, and the judge says what the try gives away.
import {settingOf} from '../curling/board.js';
import {TEE_Y} from '../curling/dimensions.js';
import {Marks} from '../curling/marks.js';
import {isAbort, post} from '../lib/api.js';
import {Store} from '../lib/store.js';

const SIMULATIONS = 20000; // to find the best shot where none is known
const TIMEOUT_MS = 60000;

const pointsOf = list => list.map(([x, y]) => ({x, y}));

export class Puzzle extends Store {
  marks = new Marks();
  aims = 0; // searches for a shot so far; only the last one counts
  aiming = Promise.resolve();
  #gone = new AbortController();

  constructor(position, board) {
    super({
      board,
      ...{target: {x: 0, y: TEE_Y}, rotation: 'ccw', weight: '0', shot: null, say: ''},
      verdict: null, // {best, own}: of POST /v1/calls
      error: null,
      isBusy: false,
    });
    this.position = position;
  }

  get signal() {
    return this.#gone.signal;
  }

  leave() {
    this.#gone.abort();
    this.marks.stop();
  }

  again() {
    this.marks.clear();
    this.set({verdict: null, shot: null, error: null, say: ''});
  }

  #query(more) {
    const {profile, state} = this.position;
    const setting = settingOf(this.state.board);
    return {profile, state, setting, player: 'rink', timeout_ms: TIMEOUT_MS, ...more};
  }

  async #best() {
    if (this.position.best) return this.position.best;
    const limits = {simulations: SIMULATIONS};
    const answer = await post('/v1/shots', this.#query({limits}), {signal: this.signal});
    return answer.shot;
  }

  /** Compares the shot of the user with the best one, by the same throws. shot null: only shows the
   * best one. */
  async judge(shot) {
    if (this.state.isBusy) return;
    this.set({isBusy: true, error: null, say: 'The judge throws both shots …'});
    try {
      const best = await this.#best();
      const calls = [{shot: best}, ...(shot ? [{shot}] : [])];
      const answer = await post('/v1/calls', this.#query({calls}), {signal: this.signal});
      this.#show(answer.calls);
    } catch (error) {
      if (!isAbort(error)) this.set({error});
    }
    this.set({isBusy: false, say: ''});
  }

  #show([best, own]) {
    this.aims++;
    this.marks.clear();
    this.marks.addPath(pointsOf(best.path), 'better');
    if (own) {
      this.marks.addPath(pointsOf(own.path));
      this.marks.addSamples(pointsOf(own.ends));
    }
    this.set({verdict: {best, own}});
  }
}

const GOOD = 0.01; // a smaller loss is as good as none
const SMALL = 0.04;

/** What a try was worth: {words, tone}. */
export function verdictOf({win_difference: loss, win_difference_interval: [low, high]}) {
  const costs = `yours gives away ${(100 * Math.max(-loss, 0)).toFixed(1)} % of the game`;
  if (low > 0) return {words: 'Better than the best shot that was known.', tone: 'done'};
  if (high >= 0 || -loss < GOOD) return {words: 'As good as the best shot.', tone: 'done'};
  if (-loss < SMALL) return {words: `Not bad: ${costs}.`, tone: 'ready'};
  return {words: `There is a better one: ${costs}.`, tone: 'buried'};
}
