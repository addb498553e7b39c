// The jobs that wait, and those that have ended.
import {DASH} from '../lib/format.js';
import {jobWords} from '../lib/job_words.js';
import {Card} from '../parts/card.js';
import {JobLink, StateBadge, When} from '../parts/cells.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {CancelMany, DeleteMany} from './bulk_buttons.js';
import {resultWords} from './result_words.js';

const nameCell = ({id, state}) =>
  html`<span><${JobLink} id=${id} /> <${StateBadge} state=${state} /></span>`;

const whatCell = ({kind, spec, owner}) =>
  html`<b>${kind}</b>${` ${jobWords(kind, spec)}`}${
    owner && html` <span class="dim small">${owner}</span>`
  }`;

const JOB_COLUMNS = [
  {head: 'Job', cell: nameCell},
  {head: 'What', wide: 'what', cell: whatCell},
];

const reason = job => (job.state === 'paused' ? 'paused' : (job.waiting_because ?? DASH));
const WAITING_COLUMNS = [...JOB_COLUMNS, {head: 'Why it waits', wide: 'what', cell: reason}];

/** jobs: undefined while they are not known. */
export const WaitingCard = ({jobs, kinds, onMoved}) => html`<${Card} title="Waiting">
  <${Table} columns=${WAITING_COLUMNS} items=${jobs} nothing="The queue is empty." kind="stack" />
  ${jobs?.length > 0 && html`<${CancelMany} kinds=${kinds} onDone=${onMoved} />`}
<//>`;

/** jobs and kinds: undefined while they are not known. */
export function RecentCard({jobs, kinds, onMoved}) {
  const kindOf = job => kinds.find(({name}) => name === job.kind);
  const columns = [
    ...JOB_COLUMNS,
    {head: 'Result', wide: 'what result', cell: job => resultWords(job, kindOf(job))},
    {head: 'When', cell: job => html`<${When} at=${job.finished_at} />`},
  ];
  const nothing = 'No job has ended yet.';
  return html`<${Card} title="Recent results">
    <${Table} ...${{columns, nothing}} items=${jobs} kind="stack" />
    ${jobs?.length > 0 && html`<${DeleteMany} kinds=${kinds} onDone=${onMoved} />`}
  <//>`;
}
