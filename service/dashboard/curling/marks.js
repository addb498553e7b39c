// Marks on the ice besides the lying stones: paths, ends of throws, moving stones.
import {Store} from '../lib/store.js';
import {animate} from './animation.js';

export class Marks extends Store {
  #stop = () => {};

  constructor() {
    // paths: [{points, look}]; aim: where the stone shall go, {x, y};
    // moving: [{team, slot, at}] while stones move
    super({paths: [], samples: [], aim: null, moving: []});
  }

  clear() {
    this.set({paths: [], samples: [], aim: null, moving: []});
  }

  addPath(points, look = '') {
    this.set({paths: [...this.state.paths, {points, look}]});
  }

  /** The paths of a throw: that of its stone, and those of the stones that it moves. */
  addThrow({paths}) {
    paths.forEach(({points, isThrown}) => this.addPath(points, isThrown ? '' : 'other'));
  }

  setAim(aim) {
    this.set({aim});
  }

  addSamples(points) {
    this.set({samples: [...this.state.samples, ...points]});
  }

  /** Moves stones along paths [{team, slot, points}]; resolves at the end. They stay there
   * until the caller has placed the stones and calls settle(). */
  async animate(paths) {
    this.stop();
    const animation = animate(paths, moving => this.set({moving}));
    this.#stop = animation.stop;
    await animation.ended;
  }

  settle() {
    this.set({moving: []});
  }

  stop() {
    this.#stop();
    this.settle();
  }
}
