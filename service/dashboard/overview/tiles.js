import {get} from '../lib/api.js';
import {connection} from '../lib/connection.js';
import {DASH, number} from '../lib/format.js';
import {useStore} from '../lib/store.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Tile} from '../parts/card.js';
import {html} from '../vendor/preact.js';

const HEALTH = {ready: 'ready', waiting: 'not ready', lost: 'lost', connecting: '…'};

/** counts: jobs by state, or null while they are not known. */
export function Tiles({counts}) {
  const {state, text} = useStore(connection);
  const {value: version} = useLoaded(signal => get('/v1/version', {signal}), []);
  const count = (...states) =>
    counts ? number(states.reduce((sum, one) => sum + (counts[one] ?? 0), 0)) : DASH;
  return html`<div class="tiles">
    <${Tile} value=${HEALTH[state]} label="service" hint=${text} />
    <${Tile} value=${count('leased')} label="running" />
    <${Tile} value=${count('ready', 'paused')} label="waiting" />
    <${Tile} value=${count('done')} label="done" />
    <${Tile} value=${count('buried')} label="failed" />
    <${Tile} value=${version?.version ?? DASH} label="version" />
  </div>`;
}
