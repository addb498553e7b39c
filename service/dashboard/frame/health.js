// The state of the connection in the header.
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

/** Asks regularly whether the service is ready; failed requests note a lost connection. */
export async function watchHealth() {
  try {
    await get('/readyz');
    connection.set({state: 'ready', text: 'ready'});
  } catch (error) {
    if (error.status) connection.set({state: 'waiting', text: error.detail ?? error.title});
  }
  setTimeout(watchHealth, connection.state.state === 'lost' ? CHECK_LOST_MS : CHECK_MS);
}
