// The position on the board page and what is known about it. It stays while the dashboard is open,
// wherever the user goes.
import {
  afterThrow,
  emptyBoard,
  isEndOver,
  stateOf,
  withAllScores,
  withNewStone,
  withStone,
} from '../curling/board.js';
import {TEE_Y} from '../curling/dimensions.js';
import {Marks} from '../curling/marks.js';
import {isAbort, post} from '../lib/api.js';
import {Store} from '../lib/store.js';

export class Session extends Store {
  marks = new Marks();
  changes = 0; // of the position, by whomever
  aims = 0; // looks for a shot; only the last one counts
  aiming = Promise.resolve();
  #judgings = 0;
  #gone = new AbortController();

  constructor() {
    super({
      board: emptyBoard(),
      verdict: null, // {board, score, errors}: what is known of a position, the last one that is
      answer: null, // of the player that was asked
      chosen: 0, // among the candidates of the answer
      answerNote: '', // why there is no answer
      shot: null, // that would be thrown
      target: {x: 0, y: TEE_Y},
      rotation: 'ccw',
      weight: '0', // of a hit, as a share of the speed
      hasNoise: true, // of throws
      player: '',
      seconds: 1, // to think
      say: '', // below the sheet
      error: null,
      isBusy: false,
      game: null, // {mine: the side of the user}
      gameLine: '',
    });
  }

  get signal() {
    return this.#gone.signal;
  }

  /** The page is shown; its address may name a profile and a player. */
  enter({profile, player}) {
    this.#gone = new AbortController();
    const {board} = this.state;
    this.set({player: player ?? '', say: '', error: null, isBusy: false, game: null});
    const isOther = profile && profile !== board.profile;
    this.edit(isOther ? emptyBoard(profile) : board);
  }

  /** The page is left: nothing of it goes on. */
  leave() {
    this.#gone.abort();
    this.marks.stop();
  }

  /** Another position: what was said about the old one goes. */
  edit(changes, answerNote = 'Nobody was asked about this position yet.') {
    this.changes++;
    this.aims++;
    this.marks.clear();
    const board = {...this.state.board, ...changes};
    this.set({board, answer: null, shot: null, answerNote});
    this.#judge();
  }

  setEnd(end) {
    this.edit(withAllScores({...this.state.board, end}));
  }

  setScores(team, list) {
    const {board} = this.state;
    this.edit(withAllScores({...board, scores: {...board.scores, [team]: list}}));
  }

  moveStone(team, slot, at) {
    this.edit(withStone(this.state.board, team, slot, at));
  }

  /** Returns the slot of the new stone, or null where all are in play. */
  addStone(team) {
    const added = withNewStone(this.state.board, team);
    if (!added) return null;
    this.edit(added.board);
    return added.slot;
  }

  clear() {
    const {profile, hammer} = this.state.board;
    this.edit({...emptyBoard(profile), hammer});
  }

  /** The position after a throw of throwShot(). */
  put(thrown) {
    this.edit(afterThrow(this.state.board, thrown), 'The position has changed.');
  }

  /** Does one thing at a time; its error is shown below the sheet. */
  async work(f) {
    if (this.state.isBusy) return;
    this.set({isBusy: true, error: null});
    try {
      await f(this);
    } catch (error) {
      if (!isAbort(error)) this.set({error});
    }
    this.set({isBusy: false});
  }

  /** Asks the service who counts, and whether the position can be. */
  async #judge() {
    const judging = ++this.#judgings;
    const {board} = this.state;
    const {profile, hammer} = board;
    const {signal} = this;
    const state = stateOf(board);
    const isNow = () => judging === this.#judgings && !signal.aborted;
    try {
      const [score, {errors}] = await Promise.all([
        post('/v1/positions/score', {profile, stones: state.stones, hammer}, {signal}),
        isEndOver(board)
          ? {errors: []}
          : post('/v1/positions/validate', {profile, state}, {signal}),
      ]);
      if (isNow()) this.set({verdict: {board, score, errors}});
    } catch (error) {
      if (isNow()) this.set({error});
    }
  }
}
