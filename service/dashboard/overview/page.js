// What runs now, what waits and why, what came out last, and how the service is.
import {usePolled, useSoon} from '../lib/use_poll.js';
import {html, useRef} from '../vendor/preact.js';
import {loadJobs} from './jobs.js';
import {RecentCard} from './recent_card.js';
import {RunningCard} from './running_card.js';
import {Tiles} from './tiles.js';
import {useCounts} from './use_counts.js';
import {WaitingCard} from './waiting_card.js';
import {WorkersCard} from './workers_card.js';

const POLL_MS = 3000;
const EVENT_MS = 200; // from an event to asking: they come in bunches

export function Page() {
  const known = useRef(new Map());
  const {
    value: jobs,
    error,
    reload,
  } = usePolled(signal => loadJobs(known.current, signal), POLL_MS);
  const all = jobs ? [...jobs.running, ...jobs.waiting, ...jobs.ended] : [];
  const stateOf = id => all.find(job => job.id === id)?.state;
  const counts = useCounts(stateOf, useSoon(reload, EVENT_MS));
  return html`
    <h1>Overview</h1>
    <${Tiles} counts=${counts} />
    <div class="columns">
      <div>
        <${RunningCard} jobs=${jobs?.running} />
        <${WaitingCard} jobs=${jobs?.waiting} />
      </div>
      <div>
        <${RecentCard} jobs=${jobs?.ended} kinds=${jobs?.kinds} error=${error} />
        <${WorkersCard} />
      </div>
    </div>
  `;
}
