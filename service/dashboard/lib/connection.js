// Whether the service can be reached. `state` is connecting, ready, waiting or lost.
import {Store} from './store.js';

export const connection = new Store({state: 'connecting', text: 'connecting'});

/** Calls f when the service answers again after it was lost. Returns the function that ends it. */
export const onReturn = f =>
  connection.watch((now, before) => before.state === 'lost' && now.state !== 'lost' && f());
