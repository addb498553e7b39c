// The replay of a game: the shot on show, and its throws on the ice.
import {afterThrow} from '../curling/board.js';
import {Marks} from '../curling/marks.js';
import {thrownPoints, throwShot} from '../curling/throw.js';
import {isAbort} from '../lib/api.js';
import {pause} from '../lib/pause.js';
import {loadProfile} from '../lib/profiles.js';
import {Store} from '../lib/store.js';
import {shotOf} from './record.js';

const PAUSE_MS = 700; // between the shots when it plays by itself

export class Replay extends Store {
  marks = new Marks();
  #turn = 0; // counts the shots shown; answers for an earlier one are dropped
  #gone = new AbortController();

  constructor({head, shots}) {
    super({
      at: 0,
      count: shots.length,
      stones: shots[0].board.stones,
      isPlaying: false,
      error: null,
    });
    this.head = head;
    this.shots = shots;
  }

  step(by) {
    return this.go(this.state.at + by);
  }

  /** Shows a shot by its number; resolves when its stones have come to rest. */
  async go(k) {
    if (k < 0 || k >= this.shots.length) return;
    const turn = ++this.#turn;
    this.marks.stop();
    this.marks.clear();
    this.set({at: k, stones: this.shots[k].board.stones, error: null});
    try {
      await this.#show(k, turn);
    } catch (error) {
      if (turn === this.#turn && !isAbort(error)) this.set({error});
    }
  }

  async #show(k, turn) {
    const shot = this.shots[k];
    if (shot.conceded) return;
    const [called, thrown, better] = await Promise.all([
      this.#throw(shot, shot.intended ?? shot.executed),
      this.#throw(shot, shot.executed),
      shot.better && throwShot(shot.board, shot.better, {}, this.#gone.signal),
    ]);
    if (turn !== this.#turn) return;
    if (better) this.marks.addPath(thrownPoints(better), 'better');
    this.marks.addThrow(called);
    thrown.paths.forEach(({points}) => this.marks.addPath(points, 'thrown'));
    await this.marks.animate(thrown.paths);
    if (turn !== this.#turn) return;
    const next = this.shots[k + 1];
    const after = next?.end === shot.end ? next.board : afterThrow(shot.board, thrown);
    this.set({stones: after.stones});
    this.marks.settle();
  }

  async #throw(shot, what) {
    const {signal} = this.#gone;
    const profile = await loadProfile(this.head.profile);
    return throwShot(shot.board, shotOf(what, profile), {}, signal);
  }

  /** Shows one shot after the other until the last one, or until something else is shown. */
  async play() {
    this.set({isPlaying: true});
    let own = this.state.at;
    const goesOn = () =>
      this.state.isPlaying && own === this.state.at && own < this.shots.length - 1;
    while (goesOn()) {
      own++;
      await this.go(own);
      await pause(PAUSE_MS);
    }
    this.stop();
  }

  /** Takes the shots of a game that goes on, and shows the new ones if the last one is on show. A
   * host that begins anew writes the shots once more: until it has them all, they are fewer. */
  async extend(shots) {
    if (shots.length < this.shots.length) return;
    const {at, isPlaying} = this.state;
    const isAtEnd = at === this.shots.length - 1;
    const isLonger = shots.length > this.shots.length;
    this.shots = shots;
    this.set({count: shots.length});
    if (isLonger && isAtEnd && !isPlaying) await this.play();
  }

  stop() {
    this.set({isPlaying: false});
  }

  /** Stops everything when the page is left. */
  leave() {
    this.#turn++;
    this.stop();
    this.marks.stop();
    this.#gone.abort();
  }
}
