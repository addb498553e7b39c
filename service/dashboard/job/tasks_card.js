import {get} from '../lib/api.js';
import {duration, words} from '../lib/format.js';
import {hasEnded, STATE_NAMES} from '../lib/job_states.js';
import {usePolled} from '../lib/use_poll.js';
import {Card} from '../parts/card.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

const POLL_MS = 2500;
const SHOWN = 50;

/** The node that did a task, or does it. */
function nodeWords({state, node, tries}) {
  const name = node ?? (state === 'leased' ? tries.at(-1)?.node : null);
  return name === null || name === undefined ? null : name || 'this machine';
}

/** What became of a part; of a state that does not explain itself also what it means. */
function stateCell({state, merged}) {
  if (state === 'dropped')
    return html`<span title="Nobody needs it any more: the job or its test ended without it.">
      dropped
    </span>`;
  return merged ? 'merged' : (STATE_NAMES[state] ?? words(state));
}

const COLUMNS = [
  {head: 'Part', isNumber: true, cell: ({number}) => number},
  {head: 'State', label: 'state', cell: stateCell},
  {head: 'By', label: 'by', cell: nodeWords},
  {head: 'Took', isNumber: true, cell: ({seconds}) => seconds && duration(seconds)},
  {head: 'Tries', isNumber: true, cell: ({tries}) => tries.length},
  {head: 'Last failure', label: 'last failure', wide: 'what', cell: ({error}) => error},
];

/** The last parts of a job that several workers do together. */
export function TasksCard({job}) {
  const {value, error} = usePolled(async (signal, before) => {
    if (before && hasEnded(job) && before.state === job.state) return before;
    const {items} = await get(`/v1/jobs/${job.id}/tasks?limit=${SHOWN}`, {signal});
    return {state: job.state, items};
  }, POLL_MS);
  return html`<${Card} title="Parts">
    <${Table}
      columns=${COLUMNS}
      items=${value?.items}
      error=${error}
      id="number"
      nothing="Nobody has begun yet."
      kind="stack"
      label="parts"
    />
  <//>`;
}
