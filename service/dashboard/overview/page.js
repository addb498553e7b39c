// What runs now, what waits and why, what came out last, and how the service is.
import {html} from '../vendor/preact.js';
import {RecentCard} from './recent_card.js';
import {RunningCard} from './running_card.js';
import {Tiles} from './tiles.js';
import {useCounts} from './use_counts.js';
import {useJobs} from './use_jobs.js';
import {WaitingCard} from './waiting_card.js';
import {WorkersCard} from './workers_card.js';

export function Page() {
  const {jobs, error, refreshSoon} = useJobs();
  const all = jobs ? [...jobs.running, ...jobs.waiting, ...jobs.ended] : [];
  const stateOf = id => all.find(job => job.id === id)?.state;
  const counts = useCounts(stateOf, refreshSoon);
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
