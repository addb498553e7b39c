import {get} from '../lib/api.js';
import {useLoaded} from '../lib/use_loaded.js';
import {html} from '../vendor/preact.js';

export const PLAYER_LIST = 'players'; // what the `list` of an input names

/** The players that inputs of the page offer. An error leaves it empty: the list only helps. */
export function PlayerList() {
  const {value} = useLoaded(signal => get('/v1/players?fields=name,about&limit=500', {signal}), []);
  const option = ({name, about}) => html`<option value=${name}>${about}</option>`;
  return html`<datalist id=${PLAYER_LIST}>${value?.items.map(option)}</datalist>`;
}
