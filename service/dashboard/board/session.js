// The position on the board page with its verdict, answer and shot. It survives a visit to other
// pages.
import {boardAddress, boardOfQuery} from '../curling/board_address.js';
import {emptyBoard, isEndOver, newEnd, settingOf, sideToMove, stateOf} from '../curling/board.js';
import {TEE_Y} from '../curling/dimensions.js';
import {handOf} from '../curling/hand.js';
import {Marks} from '../curling/marks.js';
import {isAbort, post} from '../lib/api.js';
import {Store} from '../lib/store.js';

const UNDO_MOST = 100;
const THROWS_MOST = 256; // a query takes as many
const UNREADABLE = {
  title: 'The address of this page names no position',
  detail: 'A part of it is missing or was changed. This is the last position instead.',
};

/** The hand of the address; a bare link keeps the one that there is. */
const handAfter = (hand, query) =>
  query.has('shot') || query.has('hand') ? handOf(query.get('hand')) : hand;

export class Session extends Store {
  marks = new Marks();
  aims = 0; // searches for a shot so far; only the last one counts
  aiming = Promise.resolve();
  #past = []; // positions that undo goes back to
  #isUndoing = false;
  #isEntering = false; // the address names both profile and hand
  #gone = new AbortController();
  #stopWatching = () => {};

  constructor() {
    super({
      board: emptyBoard(),
      verdict: null, // {board, score, errors} of the last position that the service judged
      answer: null, // of the player that was asked
      chosen: 0, // among the candidates of the answer
      answerNote: '', // why there is no answer
      shot: null, // to throw next
      target: {x: 0, y: TEE_Y},
      rotation: 'ccw',
      weight: '0', // of a hit, as a share of the speed
      hasNoise: true, // of throws
      hand: {}, // settings of the noise that are not the profile's
      player: '',
      seconds: 1, // to think
      say: '', // above the sheet
      error: null,
      isBusy: false,
      canUndo: false,
      thinking: null, // {id of the query, begin, seconds, isStopped} while a player thinks
      map: null, // {answer, weight, turn, value}: the map on the ice and what it shows
      calls: null, // {list, answer, chosen}: calls side by side
      game: null, // {mine: the side of the user}
      throws: [], // {side, before, after}: those of the games on this page, oldest first
      gameLine: '',
    });
  }

  get signal() {
    return this.#gone.signal;
  }

  /** The page is shown; its address may name a position, or only a profile and a player. */
  enter(query) {
    this.#gone = new AbortController();
    const profile = query.get('profile');
    const {board, seconds, hand} = this.state;
    const isOther = profile && profile !== board.profile;
    this.set({
      player: query.get('player') ?? '',
      seconds: query.get('seconds') ?? seconds,
      hand: isOther ? handOf(query.get('hand')) : handAfter(hand, query),
      say: '',
      error: null,
      isBusy: false,
      thinking: null,
      game: null,
    });
    const asked = boardOfQuery(query);
    this.#isEntering = true;
    this.edit(asked ?? (isOther ? newEnd(emptyBoard(profile)) : board));
    this.#isEntering = false;
    if (!asked && query.has('shot')) this.set({error: UNREADABLE});
    this.#stopWatching = this.watch((now, before) => {
      const differs = name => now[name] !== before[name];
      if (['board', 'player', 'seconds', 'hand'].some(differs)) this.writeAddress();
    });
  }

  /** The address of the page is the position. */
  writeAddress() {
    history.replaceState(null, '', boardAddress(this.state.board, this.state));
  }

  /** The page is left: stops everything under way. */
  leave() {
    this.#stopWatching();
    this.#gone.abort();
    this.marks.stop();
  }

  /** Keeps a throw of a game: it tells the style of who threw it. */
  keepThrow(before, after) {
    const {stones} = stateOf(after);
    const seen = {side: sideToMove(before), before: stateOf(before), after: {stones}};
    this.set({throws: [...this.state.throws.slice(1 - THROWS_MOST), seen]});
  }

  /** Changes the position and drops the answer to the old one. Undo goes back to it. */
  edit(changes, answerNote = 'Nobody was asked about this position yet.') {
    this.aims++;
    this.marks.clear();
    const before = this.state.board;
    const board = {...before, ...changes};
    this.#keep(before, board);
    if (board.profile !== before.profile && !this.#isEntering) this.set({hand: {}});
    const throws = board.profile === before.profile ? this.state.throws : [];
    this.set({throws, board, answer: null, shot: null, map: null, calls: null, answerNote});
    this.#judge();
  }

  /** Another hand throws: what was found for the old one goes. */
  setHand(hand) {
    this.aims++;
    this.marks.clear();
    const answerNote = 'Nobody was asked about this hand yet.';
    this.set({hand, answer: null, shot: null, map: null, calls: null, answerNote});
  }

  #keep(before, board) {
    const isSame = JSON.stringify(before) === JSON.stringify(board);
    if (isSame || this.#isUndoing) return;
    this.#past = [...this.#past.slice(1 - UNDO_MOST), before];
    this.set({canUndo: true});
  }

  /** Goes back to the position before the last change; an end against the machine stops. */
  undo() {
    const board = this.#past.at(-1);
    if (!board || this.state.isBusy) return;
    this.#past = this.#past.slice(0, -1);
    this.#isUndoing = true;
    this.edit(board);
    this.#isUndoing = false;
    this.set({canUndo: this.#past.length > 0, game: null, say: 'Undone.'});
  }

  /** Runs f(session) unless something is running; shows its error above the sheet. */
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

  /** Asks the service for the score of the position and its errors. */
  async #judge() {
    const {board} = this.state;
    const {profile, hammer} = board;
    const {signal} = this;
    const state = stateOf(board);
    const isNow = () => board === this.state.board && !signal.aborted;
    try {
      const [score, {errors}] = await Promise.all([
        post('/v1/positions/score', {profile, stones: state.stones, hammer}, {signal}),
        isEndOver(board)
          ? {errors: []}
          : post('/v1/positions/validate', {profile, state, setting: settingOf(board)}, {signal}),
      ]);
      if (isNow()) this.set({verdict: {board, score, errors}});
    } catch (error) {
      if (isNow()) this.set({error});
    }
  }
}
