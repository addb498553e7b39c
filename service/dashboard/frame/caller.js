// Who is logged in: the token that is in use, in the header.
import {get} from '../lib/api.js';
import {onToken, logOut} from '../lib/token.js';
import {html, useEffect, useReducer} from '../vendor/preact.js';
import {useLoaded} from '../lib/use_loaded.js';

/** The name and the scopes of the token; nothing where the service has none. */
export function Caller() {
  const [turn, next] = useReducer(count => count + 1, 0);
  useEffect(() => onToken(next), []);
  const {value} = useLoaded(signal => get('/v1/caller', {signal}), [turn]);
  if (!value?.name) return null;
  return html`<p class="caller">
    <b>${value.name}</b>
    <span class="dim">${` may ${value.scopes.join(', ')} `}</span>
    <button class="small" onClick=${logOut}>Log out</button>
  </p>`;
}
