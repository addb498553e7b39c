// The line in the header that says whether the service is there.
import {get} from '../lib/api.js';
import {connection} from '../lib/connection.js';

const CHECK_MS = 5000;
const CHECK_LOST_MS = 1000;

export function showConnection(element) {
  const show = ({state, text}) => {
    element.dataset.state = state;
    if (element.textContent !== text) element.textContent = text;
  };
  connection.watch(show);
  show(connection.state);
}

/** Asks now and again whether the service is ready; a failed request finds out by itself. */
export async function watchHealth() {
  try {
    await get('/readyz');
    connection.set({state: 'ready', text: 'ready'});
  } catch (error) {
    if (error.status) connection.set({state: 'waiting', text: error.detail ?? error.title});
  }
  setTimeout(watchHealth, connection.state.state === 'lost' ? CHECK_LOST_MS : CHECK_MS);
}
