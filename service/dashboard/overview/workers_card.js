import {get} from '../lib/api.js';
import {duration} from '../lib/format.js';
import {usePolled} from '../lib/use_poll.js';
import {Card} from '../parts/card.js';
import {JobLink} from '../parts/cells.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const POLL_MS = 5000;
const COLUMNS = [
  {head: 'Process', cell: ({pid}) => `${pid}`},
  {head: 'Kind', cell: ({kind}) => kind},
  {head: 'Job', cell: ({job}) => html`<${JobLink} id=${job} />`},
  {head: 'Last heard', cell: ({beat_s: beat}) => `${duration(beat)} ago`},
];

/** The worker processes; hidden until they are known, and from users who may not see them. */
export function WorkersCard() {
  const {value, error} = usePolled(signal => get('/v1/workers', {signal}), POLL_MS);
  const items = error?.status === 403 ? null : value?.items;
  return html`<${Card} title="Workers" hidden=${!items}>
    <${Table} columns=${COLUMNS} items=${items} id="pid" nothing="No worker has a job." />
  <//>`;
}
