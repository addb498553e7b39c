// What runs now, what waits and why, what came out last, and how the service is.
import {get, listen, query, watchConnection} from './api.js';
import {card, duration, empty, errorBox, h, jobWords, loading, number, percent, playerName, stateBadge, table, when} from './dom.js';

const SHOWN = 8;
const ENDED = ['done', 'buried', 'cancelled'];

export async function show(root, page) {
  const tiles = {};
  const tile = (name, label) => h('div', {class: 'tile'}, tiles[name] = h('b', {}, '–'), h('span', {}, label));
  const running = card('Running now', loading()), waiting = card('Waiting', loading());
  const recent = card('Recent results', loading()), workers = card('Workers', loading());
  let jobs = new Map(); // details of jobs by id; those that have ended do not change any more

  workers.element.hidden = true;
  root.append(h('h1', {}, 'Overview'),
    h('div', {class: 'tiles'}, tile('health', 'service'), tile('running', 'running'), tile('waiting', 'waiting'),
      tile('done', 'done'), tile('buried', 'failed'), tile('version', 'version')),
    h('div', {class: 'columns'}, h('div', {}, running.element, waiting.element), h('div', {}, recent.element, workers.element)));

  watchConnection(({state, text}) => {
    tiles.health.textContent = {ready: 'ready', waiting: 'not ready', lost: 'lost', connecting: '…'}[state];
    tiles.health.title = text;
  }, page.signal);

  async function detail(id) {
    const known = jobs.get(id);
    if (known && ENDED.includes(known.state))
      return known;
    const job = await get(`/v1/jobs/${id}`, {signal: page.signal});
    jobs.set(id, job);
    return job;
  }
  const newest = async state => (await get(`/v1/jobs${query({state, limit: SHOWN, fields: 'id,finished_at'})}`, {signal: page.signal})).items;

  async function refresh() {
    try {
      const lists = await Promise.all(['leased', 'paused', 'ready', ...ENDED].map(newest));
      const ended = lists.slice(3).flat().sort((a, b) => b.finished_at.localeCompare(a.finished_at)).slice(0, SHOWN);
      const details = async list => (await Promise.allSettled(list.map(job => detail(job.id))))
        .filter(result => result.status === 'fulfilled').map(result => result.value);
      const [now, queue, results] = await Promise.all([details(lists[0]), details([...lists[1], ...lists[2]]), details(ended)]);
      jobs = new Map([...now, ...queue, ...results].map(job => [job.id, job]));
      running.set(now.length ? now.map(runningJob) : empty('Nothing runs. A new job can be made on the page “New job”.'));
      waiting.set(queue.length ? table(['Job', 'What', 'Why it waits'], queue.sort((a, b) => (a.position ?? 1e9) - (b.position ?? 1e9)).map(waitingRow), 'stack') : empty('The queue is empty.'));
      recent.set(results.length ? table(['Job', 'What', 'Result', 'When'], results.map(resultRow), 'stack') : empty('No job has ended yet.'));
    } catch (error) {
      if (error.name !== 'AbortError')
        recent.set(errorBox(error));
    }
  }

  async function refreshWorkers() {
    try {
      const {items} = await get('/v1/workers', {signal: page.signal});
      workers.element.hidden = false;
      workers.set(items.length ? table(['Process', 'Kind', 'Job', 'Last heard'], items.map(worker =>
        [`${worker.pid}`, worker.kind, jobLink(worker.job), `${duration(worker.beat_s)} ago`])) : empty('No worker has a job.'));
    } catch (error) {
      workers.element.hidden = error.status === 403; // not for this token
    }
  }

  let timer, counts = {};
  const showCounts = () => {
    tiles.running.textContent = number(counts.leased ?? 0);
    tiles.waiting.textContent = number((counts.ready ?? 0) + (counts.paused ?? 0));
    tiles.done.textContent = number(counts.done ?? 0);
    tiles.buried.textContent = number(counts.buried ?? 0);
  };
  const stateOf = new Map();
  listen('/v1/events', (name, data) => {
    if (name === 'reset') {
      counts = data;
      stateOf.clear();
    } else if (name === 'state') {
      const before = stateOf.get(data.id) ?? jobs.get(data.id)?.state ?? 'ready';
      if (before !== data.state && counts[before] > 0)
        counts[before]--;
      if (before !== data.state || !jobs.has(data.id))
        counts[data.state] = (counts[data.state] ?? 0) + 1;
      stateOf.set(data.id, data.state);
    }
    showCounts();
    clearTimeout(timer);
    timer = setTimeout(refresh, 200);
  }, page.signal);
  page.signal.addEventListener('abort', () => clearTimeout(timer));

  get('/v1/version', {signal: page.signal}).then(version => { tiles.version.textContent = version.version; }, () => {});
  page.every(3000, refresh);
  page.every(5000, refreshWorkers);
}

const jobLink = id => h('a', {href: `#/job/${id}`}, `${id}`);

function runningJob(job) {
  const share = job.progress;
  return h('div', {class: 'job'},
    h('div', {class: 'top'}, h('a', {href: `#/job/${job.id}`}, `${job.kind} ${job.id}`), h('span', {}, jobWords(job.kind, job.spec)), job.runs.length ? h('a', {href: `#/run/${job.runs.join(',')}`}, 'curves') : null,
      h('span', {class: 'dim small'}, share === null ? 'starting' : percent(share, 0), job.eta_s === null ? '' : `, ${duration(job.eta_s)} left`)),
    h('progress', {max: 1, value: share ?? undefined, 'aria-label': `progress of job ${job.id}`}));
}

function waitingRow(job) {
  const why = job.state === 'paused' ? 'paused' : job.waiting_because ?? '–';
  return [h('span', {}, jobLink(job.id), ' ', stateBadge(job.state)), h('td', {class: 'what'}, h('b', {}, job.kind), ' ', jobWords(job.kind, job.spec)), h('td', {class: 'what'}, why)];
}

function resultRow(job) {
  return [h('span', {}, jobLink(job.id), ' ', stateBadge(job.state)), h('td', {class: 'what'}, h('b', {}, job.kind), ' ', jobWords(job.kind, job.spec)),
    h('td', {class: 'what result'}, resultWords(job)), when(job.finished_at)];
}

/** The result of a job, in a few words. */
export function resultWords(job) {
  const result = job.result;
  if (job.error)
    return `${job.error.code}: ${job.error.detail}`;
  if (!result)
    return '–';
  switch (job.kind) {
  case 'match': return result.win_percent === undefined || result.win_percent === null ? '–' : `${result.win_percent.toFixed(1)} % for ${job.spec.a}`;
  case 'tournament': return result.ladder?.length ? `best: ${result.ladder[0].player}` : '–';
  case 'exploitability': return typeof result.nash_conv?.points !== 'number' ? '–' : `${result.nash_conv.points.toFixed(2)} points per end`;
  case 'train': return trainingWords(result.runs ?? []);
  case 'diagnose': return result.throws_per_s ? `${number(Math.round(result.throws_per_s))} throws/s` : '–';
  default: return '–';
  }
}

/** What its runs won last, on average. */
function trainingWords(runs) {
  const judged = runs.map(run => run.judged ?? {}), name = Object.keys(judged[0] ?? {}).find(one => one.startsWith('win_rate/'));
  const rates = judged.map(one => one[name]).filter(Number.isFinite);
  return rates.length ? `wins ${(rates.reduce((sum, rate) => sum + rate, 0) / rates.length).toFixed(1)} % from ${playerName(name.slice('win_rate/'.length))}` : '–';
}
