import {get} from '../lib/api.js';
import {DASH, number} from '../lib/format.js';
import {usePolled} from '../lib/use_poll.js';
import {Card} from '../parts/card.js';
import {When} from '../parts/cells.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const POLL_MS = 5000;
const SOON_MS = 14 * 24 * 3600 * 1000; // an expiry that is told

const used = (value, limit) =>
  limit === null ? number(value) : `${number(value)} of ${number(limit)}`;

/** The jobs that wait, and the bytes of their specs if these are limited. */
const waitingCell = ({waiting, bytes: size, limits}) =>
  limits.bytes === null
    ? used(waiting, limits.jobs)
    : `${used(waiting, limits.jobs)}, ${used(size, limits.bytes)} bytes`;

const expiryCell = ({expires_at: at}) =>
  at &&
  html`<span class=${Date.parse(at) - Date.now() < SOON_MS ? 'field-error' : ''}
    ><${When} at=${at}
  /></span>`;

const COLUMNS = [
  {head: 'Caller', cell: ({name}) => name ?? 'no token'},
  {head: 'May', label: 'may', cell: ({scopes}) => scopes.join(', ') || DASH},
  {head: 'Waiting', label: 'waiting', cell: waitingCell},
  {head: 'Running', label: 'running', cell: ({running}) => number(running)},
  {head: 'Cores', label: 'cores', cell: ({cores, limits}) => used(cores, limits.cores)},
  {head: 'Refused', label: 'refused', cell: ({refused}) => number(refused)},
  {head: 'Expires', label: 'expires', cell: expiryCell},
];

/** Who may call, and what they have in the queue; hidden until it is known, without tokens, and
 * from users who may not see it. */
export function CallersCard() {
  const {value, error} = usePolled(signal => get('/v1/callers', {signal}), POLL_MS);
  const items = error?.status === 403 ? null : value?.items;
  return html`<${Card} title="Callers" hidden=${!items?.some(({name}) => name)}>
    <${Table} columns=${COLUMNS} items=${items} id="name" kind="stack" />
  <//>`;
}
