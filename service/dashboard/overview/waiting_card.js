import {DASH} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {JOB_COLUMNS} from './job_cells.js';

const reason = job => (job.state === 'paused' ? 'paused' : (job.waiting_because ?? DASH));
const COLUMNS = [...JOB_COLUMNS, {head: 'Why it waits', wide: 'what', cell: reason}];

/** jobs: undefined while they are not known. */
export const WaitingCard = ({jobs}) => html`<${Card} title="Waiting">
  <${Table} columns=${COLUMNS} items=${jobs} nothing="The queue is empty." kind="stack" />
<//>`;
