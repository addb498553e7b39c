// The overview: running and waiting jobs, recent results, and the state of the service.
import {useEvents} from '../lib/events.js';
import {usePolled, useSoon} from '../lib/use_poll.js';
import {ErrorBox} from '../parts/notes.js';
import {html, useRef, useState} from '../vendor/preact.js';
import {CallersCard} from './callers_card.js';
import {RecentCard, WaitingCard} from './job_tables.js';
import {loadJobs} from './jobs.js';
import {RetentionCard} from './retention_card.js';
import {RunningCard} from './running_card.js';
import {Tiles} from './tiles.js';
import {WebhooksCard} from './webhooks_card.js';
import {WorkersCard} from './workers_card.js';

const POLL_MS = 3000;
const EVENT_MS = 200; // from an event to the request: events come in bunches

/** The counts after a job changed its state; `before` undefined: a job not seen so far. */
function moved(counts, before, after) {
  if (before === after) return counts;
  const now = {...counts, [after]: (counts[after] ?? 0) + 1};
  const left = before ?? 'ready'; // where jobs begin
  if (left !== after && now[left] > 0) now[left]--;
  return now;
}

/** The number of jobs in each state, from the events of the service; null before the first one.
 * stateOf(id): the last known state of a job. onChange() is called when a job changes its state. */
function useCounts(stateOf, onChange) {
  const [counts, setCounts] = useState(null);
  const states = useRef(new Map()); // by id, of jobs that changed
  useEvents(['/v1/events'], (name, data) => {
    if (name === 'reset') {
      states.current.clear();
      setCounts(data);
    } else if (name === 'state') {
      const before = states.current.get(data.id) ?? stateOf(data.id);
      states.current.set(data.id, data.state);
      setCounts(now => moved(now ?? {}, before, data.state));
      onChange();
    }
  });
  return counts;
}

export function Page() {
  const {value: jobs, error, reload} = usePolled(loadJobs, POLL_MS);
  const all = jobs ? [...jobs.running, ...jobs.waiting, ...jobs.ended] : [];
  const stateOf = id => all.find(job => job.id === id)?.state;
  const counts = useCounts(stateOf, useSoon(reload, EVENT_MS));
  if (error && !jobs)
    return html`
      <h1>Overview</h1>
      <${ErrorBox} error=${error} />
      <p><button onClick=${reload}>Try again</button></p>
    `;
  return html`
    <h1>Overview</h1>
    <${Tiles} counts=${counts} />
    <div class="columns">
      <div>
        <${RunningCard} jobs=${jobs?.running} />
        <${WaitingCard} jobs=${jobs?.waiting} kinds=${jobs?.kinds} onMoved=${reload} />
        <${WorkersCard} />
        <${CallersCard} />
      </div>
      <div>
        <${RecentCard} jobs=${jobs?.ended} kinds=${jobs?.kinds} onMoved=${reload} />
        <${RetentionCard} />
        <${WebhooksCard} />
      </div>
    </div>
  `;
}
