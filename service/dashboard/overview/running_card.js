import {duration, percent} from '../lib/format.js';
import {jobWords} from '../lib/job_words.js';
import {Card} from '../parts/card.js';
import {ProgressBar} from '../parts/cells.js';
import {Loaded} from '../parts/notes.js';
import {html} from '../vendor/preact.js';

const NOTHING = html`Nothing runs. <a href="#/new/match">Make a job</a>`;

function RunningJob({job}) {
  const share = job.progress === null ? 'starting' : percent(job.progress, 0);
  const left = job.eta_s === null ? '' : `, ${duration(job.eta_s)} left`;
  return html`<div class="job">
    <div class="top">
      <a href="#/job/${job.id}">${`${job.kind} ${job.id}`}</a>
      <span>${jobWords(job.kind, job.spec)}</span>
      ${job.runs.length > 0 && html`<a href="#/run/${job.runs.join(',')}">curves</a>`}
      ${job.owner && html`<span class="dim small">${job.owner}</span>`}
      <span class="dim small">${share}${left}</span>
    </div>
    <${ProgressBar} share=${job.progress} label="progress of job ${job.id}" />
  </div>`;
}

/** jobs: undefined while they are not known. */
export const RunningCard = ({jobs}) => html`<${Card} title="Running now">
  <${Loaded} value=${jobs} nothing=${NOTHING}>
    ${list => list.map(job => html`<${RunningJob} key=${job.id} job=${job} />`)}
  <//>
<//>`;
