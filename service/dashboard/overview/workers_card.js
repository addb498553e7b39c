import {get, isAbort} from '../lib/api.js';
import {duration} from '../lib/format.js';
import {usePoll} from '../lib/use_poll.js';
import {Card} from '../parts/card.js';
import {Empty} from '../parts/empty.js';
import {JobLink} from '../parts/links.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';

const POLL_MS = 5000;
const COLUMNS = [{head: 'Process'}, {head: 'Kind'}, {head: 'Job'}, {head: 'Last heard'}];

const rowOf = ({pid, kind, job, beat_s: beat}) => [
  `${pid}`,
  kind,
  html`<${JobLink} id=${job} />`,
  `${duration(beat)} ago`,
];

/** The processes that work; hidden until they are known, and from who may not know them. */
export function WorkersCard() {
  const [items, setItems] = useState(null);
  usePoll(async signal => {
    try {
      setItems((await get('/v1/workers', {signal})).items);
    } catch (error) {
      if (!isAbort(error) && error.status === 403) setItems(null);
    }
  }, POLL_MS);
  return html`<${Card} title="Workers" hidden=${!items}>
    ${
      items?.length
        ? html`<${Table} columns=${COLUMNS} rows=${items.map(rowOf)} />`
        : html`<${Empty}>No worker has a job.<//>`
    }
  <//>`;
}
