// State outside of components: it outlives a component, or several components draw it.
import {useLayoutEffect, useReducer} from '../vendor/preact.js';

export class Store {
  #watchers = new Set();

  constructor(state) {
    this.state = state;
  }

  /** Merges the changes into the state and tells everybody who watches. */
  set(changes) {
    const before = this.state;
    this.state = {...before, ...changes};
    for (const watcher of this.#watchers) watcher(this.state, before);
  }

  /** Calls watcher(state, before) after each change; returns the function that ends this. */
  watch(watcher) {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** The state of a store; the component is drawn again when it changes. */
export function useStore(store) {
  const [, draw] = useReducer(count => count + 1, 0);
  useLayoutEffect(() => {
    const drawn = store.state;
    const stop = store.watch(draw);
    if (store.state !== drawn) draw();
    return stop;
  }, [store]);
  return store.state;
}
