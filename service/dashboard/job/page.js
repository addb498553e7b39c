// One job: its live state, its request, its result, its log, and buttons to control it.
import {get} from '../lib/api.js';
import {capital, duration, percent} from '../lib/format.js';
import {loadJobKinds} from '../lib/job_kinds.js';
import {hasEnded} from '../lib/job_states.js';
import {jobWords} from '../lib/job_words.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {ProgressBar, StateBadge} from '../parts/cells.js';
import {JobButtons} from '../parts/job_buttons.js';
import {ErrorBox, LoadedPage} from '../parts/notes.js';
import {Properties} from '../parts/properties.js';
import {html, useState} from '../vendor/preact.js';
import {HistoryCard} from './history_card.js';
import {LogCard} from './log_card.js';
import {RepeatButton} from './repeat_button.js';
import {ResultCard} from './result_card.js';
import {StateCard} from './state_card.js';
import {TasksCard} from './tasks_card.js';
import {useJob} from './use_job.js';

/** The reason why the job waits, or its progress. */
function statusWords(job) {
  if (job.state === 'ready') return `Waits: ${job.waiting_because ?? 'for a worker'}`;
  if (job.state !== 'leased') return '';
  const left = job.eta_s === null ? '' : `, ${duration(job.eta_s)} left`;
  return percent(job.progress) + left + (job.wanted ? `, will be ${job.wanted}` : '');
}

/** Whether the service keeps games of the job: it also keeps those of one that was ended early. */
const hasGames = ({state, result}) => state === 'done' || (state === 'cancelled' && result);

/** The spec without a record of a game, which is long and shown elsewhere. */
const specToShow = ({record, ...spec}) =>
  record ? {...spec, record: `${record.length} lines`} : spec;

/** A link to the games of a job, which can be watched while it runs. */
function GamesLink({job}) {
  if (hasGames(job)) return html`<a class="button primary" href="#/games?job=${job.id}">Games</a>`;
  if (job.state !== 'leased') return null;
  return html`<a class="button primary" href="#/games/live/${job.id}">Watch the games</a>`;
}

/** Links to the output of the job, and buttons to control it. */
function Actions({job, kind, onProblem, refresh}) {
  const onDone = async action => {
    if (action === 'delete') location.hash = '#/';
    else await refresh();
  };
  return html`<div class="buttons">
    ${
      job.runs.length > 0 &&
      html`<a class="button primary" href="#/run/${job.runs.join(',')}">Curves</a>`
    }
    ${
      job.kind === 'review' &&
      html`<a class="button primary" href="#/review/${job.id}">
      Open the review
    </a>`
    }
    ${kind?.plays_games && html`<${GamesLink} job=${job} />`}
    <${JobButtons} id=${job.id} state=${job.state} onProblem=${onProblem} onDone=${onDone} />
    ${kind && !kind.internal && html`<${RepeatButton} job=${job} onProblem=${onProblem} />`}
  </div>`;
}

function JobView({job: asked, kinds}) {
  const {job, news, refresh} = useJob(asked);
  const [problem, setProblem] = useState(null);
  const kind = kinds.find(one => one.name === job.kind);
  return html`
    <h1>${`${capital(job.kind)} ${job.id} `}<${StateBadge} state=${job.state} /></h1>
    <p>${jobWords(job.kind, job.spec)}</p>
    <${ProgressBar} share=${job.progress} label="progress" hidden=${hasEnded(job)} />
    <p class="dim" role="status">${statusWords(job)}</p>
    <${Actions} job=${job} kind=${kind} onProblem=${setProblem} refresh=${refresh} />
    <div>${problem && html`<${ErrorBox} error=${problem} />`}</div>
    <${ResultCard} job=${job} kind=${kind} />
    <div class="columns">
      <div>
        <${Card} title="What was asked"><${Properties} value=${specToShow(job.spec)} /><//>
      </div>
      <div>
        <${StateCard} job=${job} />
        <${Card} title="As it happens" hidden=${!news.length}>
          <pre aria-label="events" tabindex="0">${news.join('\n')}</pre>
        <//>
        ${kind?.has_tasks && html`<${TasksCard} job=${job} />`}
        <${HistoryCard} events=${job.history} />
        <${LogCard} id=${job.id} />
      </div>
    </div>
  `;
}

export function Page({args}) {
  const loaded = useLoaded(
    signal =>
      Promise.all([
        get(`/v1/jobs/${encodeURIComponent(args[0])}?history=true`, {signal}),
        loadJobKinds(),
      ]),
    [],
  );
  return html`<${LoadedPage} title="Job" loaded=${loaded}>
    ${([job, kinds]) => html`<${JobView} job=${job} kinds=${kinds} />`}
  <//>`;
}
