// The review of a game ("#/review/7", a job): a graph, what each call and each throw cost, and the
// better calls on the ice.
import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {Scoreboard} from '../curling/scoreboard.js';
import {Sheet} from '../curling/sheet.js';
import {useKeys} from '../games/keys.js';
import {readRecord} from '../games/record.js';
import {Replay} from '../games/replay.js';
import {ValueGraph} from '../games/value_graph.js';
import {blob, get, post, text} from '../lib/api.js';
import {percent, playerName} from '../lib/format.js';
import {hasEnded} from '../lib/job_states.js';
import {save} from '../lib/save.js';
import {useStore} from '../lib/store.js';
import {useLoaded} from '../lib/use_loaded.js';
import {useJob} from '../job/use_job.js';
import {Card} from '../parts/card.js';
import {ProgressBar} from '../parts/cells.js';
import {Select} from '../parts/inputs.js';
import {Empty, ErrorBox, LoadedPage} from '../parts/notes.js';
import {html, useEffect, useMemo, useState} from '../vendor/preact.js';
import {ListCard} from './list_card.js';
import {ReviewShotCard} from './shot_card.js';
import {SidesCard} from './sides_card.js';
import {MEASURES} from './words.js';

const LINES = ['better', 'called', 'thrown']; // on the ice

/** The record of the reviewed game: from the service, or from the spec of the job. */
async function loadRecord({spec}, signal) {
  if (spec.record) return readRecord(spec.record);
  const headers = {Accept: 'application/x-ndjson'};
  const lines = await text(`/v1/games/${encodeURIComponent(spec.game)}`, {signal, headers});
  return readRecord(lines.trim().split('\n').map(JSON.parse));
}

/** The record with the judge's values in place of those of its players. */
function judged({head, shots}, result) {
  const valueOf = ({team, values}) => (team === 'team0' ? values.best.win : 1 - values.best.win);
  const withValue = (shot, k) => {
    const own = result.shots[k];
    return {...shot, value: own ? valueOf(own) : null, better: own?.best?.shot ?? null};
  };
  return {head, shots: shots.map(withValue)};
}

/** The players by team. */
const namesOf = ({teams}) =>
  Object.fromEntries(
    TEAMS.map((team, k) => [team, playerName(teams[k].player) || TEAM_NAMES[team]]),
  );

const Heading = ({result, job}) => html`
  <h1>
    ${TEAMS.map((team, k) => [
      k > 0 && ' – ',
      html`<span class="key ${team}"></span>${namesOf(result)[team]}`,
    ])}
  </h1>
  <p class="dim">
    Review by ${playerName(result.judge)}, ${result.profile}.${' '}
    ${
      job.spec.game &&
      html`<a href="#/games/${job.spec.game.split('-')[0]}/${job.spec.game}">
      Game ${job.spec.game}</a>${', '}`
    }
    <a href="#/job/${job.id}">job ${job.id}</a>
  </p>
`;

/** Puts the worst calls into the library, and goes there. */
function PuzzlesButton({id, onProblem}) {
  const fill = async () => {
    try {
      await post(`/v1/reviews/${id}/puzzles`, {});
      location.hash = '#/library?puzzles=1';
    } catch (error) {
      onProblem(error);
    }
  };
  return html`<button onClick=${fill}>Make puzzles of the worst calls</button>`;
}

function ReportButton({id, onProblem}) {
  const saveReport = async () => {
    try {
      save(`review-${id}.html`, await blob(`/v1/reviews/${id}.html`));
    } catch (error) {
      onProblem(error);
    }
  };
  return html`<button onClick=${saveReport}>Save the report</button>`;
}

/** What can be done with the review, and what its figures are given in. */
const Choices = ({id, measure, setMeasure, onProblem}) => html`<div class="buttons">
  <${ReportButton} id=${id} onProblem=${onProblem} />
  <${PuzzlesButton} id=${id} onProblem=${onProblem} />
  <label class="inline">
    Figures in
    <${Select}
      values=${Object.keys(MEASURES)}
      names=${MEASURES}
      value=${measure}
      onSelect=${setMeasure}
    />
  </label>
</div>`;

function Review({job, record}) {
  const {result} = job;
  const game = useMemo(() => judged(record, result), [record, result]);
  const replay = useMemo(() => new Replay(game), [game]);
  const [problem, setProblem] = useState(null);
  const [measure, setMeasure] = useState('win');
  const {stones, at} = useStore(replay);
  const names = namesOf(result);
  const keys = result.key.map(({number}) => number);
  useKeys(replay);
  useEffect(() => {
    replay.go(keys[0] ?? 0);
    return () => replay.leave();
  }, [replay]);
  const go = k => replay.go(k);
  const common = {shots: result.shots, ends: result.ends, measure};
  return html`
    <${Heading} result=${result} job=${job} />
    <${Choices} id=${job.id} ...${{measure, setMeasure}} onProblem=${setProblem} />
    ${problem && html`<${ErrorBox} error=${problem} />`}
    <div class="board">
      <div class="ice">
        <${Scoreboard} board=${game.shots[at].board} names=${names} />
        <p class="legend small">
          ${LINES.map(line => html`<span><span class="line-key ${line}"></span>${line}</span>`)}
        </p>
        <${Sheet} stones=${stones} marks=${replay.marks} />
      </div>
      <div>
        <${Card} title="Chance of red to win">
          <${ValueGraph} shots=${game.shots} replay=${replay} marked=${keys}>
            One judge for both sides. The numbers mark the calls that cost most; click to go there.
          <//>
        <//>
        <${ReviewShotCard} replay=${replay} ...${common} />
        <${SidesCard} result=${result} measure=${measure} />
        <${ListCard} ...${common} onGo=${go} />
      </div>
    </div>
  `;
}

/** The review, once it is done; until then, how far it is. */
function JobOrReview({job: asked, record}) {
  const {job} = useJob(asked);
  if (job.state === 'done' && job.result?.shots)
    return html`<${Review} job=${job} record=${record} />`;
  const words = hasEnded(job) ? 'This review has ended without a result.' : percent(job.progress);
  return html`
    <h1>Review</h1>
    <${ProgressBar} share=${job.progress} label="progress" hidden=${hasEnded(job)} />
    <p role="status">${words} <a href="#/job/${job.id}">job ${job.id}</a></p>
    ${!hasEnded(job) && html`<${Empty}>The review appears here by itself.<//>`}
  `;
}

export function Page({args: [id]}) {
  const loaded = useLoaded(async signal => {
    const job = await get(`/v1/jobs/${encodeURIComponent(id)}?history=true`, {signal});
    if (job.kind !== 'review')
      throw Object.assign(new Error(), {title: 'No review', detail: `job ${id} is a ${job.kind}`});
    return {job, record: await loadRecord(job, signal)};
  }, []);
  return html`<${LoadedPage} title="Review" loaded=${loaded}>
    ${value => html`<${JobOrReview} ...${value} />`}
  <//>`;
}
