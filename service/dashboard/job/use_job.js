import {get} from '../lib/api.js';
import {useEvents} from '../lib/events.js';
import {clock, duration, number, percent} from '../lib/format.js';
import {hasEnded, STATE_NAMES} from '../lib/job_states.js';
import {useAbort} from '../lib/use_loaded.js';
import {usePoll} from '../lib/use_poll.js';
import {useState} from '../vendor/preact.js';

const LENGTH_MAX = 300;
const POLL_MS = 2500;
const LINES_MAX = 200;

function progressWords({progress, eta_s: left}) {
  return percent(progress) + (typeof left === 'number' ? `, ${duration(left)} left` : '');
}

function wordsOf(name, data) {
  if (name === 'progress' && typeof data.progress === 'number') return progressWords(data);
  if (name === 'metrics' && data.rows)
    return data.rows.map(row => `${row.name} ${number(row.value)}`).join(', ');
  if (name === 'state') return STATE_NAMES[data.state] ?? data.state;
  return JSON.stringify(data);
}

/** An event of a job as a line of text. */
function eventWords(name, data) {
  const line = wordsOf(name, data);
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)} …` : line;
}

/** The job after an event. */
function afterEvent(job, name, data) {
  switch (name) {
    case 'reset':
      return {...job, ...data};
    case 'progress':
      return {...job, progress: data.progress ?? job.progress, eta_s: data.eta_s ?? null};
    case 'partial':
      return {...job, result: data.result};
    case 'state':
      return {...job, state: data.state};
    default:
      return job;
  }
}

/** A job that is kept up to date: {job, news, refresh()}; news: a line per event, newest first. */
export function useJob(first) {
  const signal = useAbort();
  const [job, setJob] = useState(first);
  const [news, setNews] = useState([]);
  const path = `/v1/jobs/${first.id}`;
  const refresh = async () => setJob(await get(`${path}?history=true`, {signal}));
  useEvents(hasEnded(job) ? [] : [`${path}/events`], (name, data) => {
    const after = before => afterEvent(before, name, data);
    setJob(after);
    if (name === 'reset') return;
    const line = `${clock(new Date())} ${name} ${eventWords(name, data)}`;
    setNews(before => [line, ...before].slice(0, LINES_MAX));
    if (name === 'state') refresh().catch(() => {});
  });
  usePoll(() => hasEnded(job) || refresh(), POLL_MS);
  return {job, news, refresh};
}
