import {get} from '../lib/api.js';
import {useEvents} from '../lib/events.js';
import {hasEnded} from '../lib/job_states.js';
import {useAbort} from '../lib/use_loaded.js';
import {usePoll} from '../lib/use_poll.js';
import {useState} from '../vendor/preact.js';
import {eventWords} from './event_words.js';

const POLL_MS = 2500;
const LINES_MAX = 200;

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

/** A job as it goes on: {job, news, refresh()}; news: a line for each event, the last one first. */
export function useJob(first) {
  const signal = useAbort();
  const [job, setJob] = useState(first);
  const [news, setNews] = useState([]);
  const path = `/v1/jobs/${first.id}`;
  const refresh = async () => setJob(await get(path, {signal}));
  useEvents(hasEnded(job) ? [] : [`${path}/events`], (name, data) => {
    const after = before => afterEvent(before, name, data);
    setJob(after);
    if (name === 'reset') return;
    const line = `${new Date().toLocaleTimeString()} ${name} ${eventWords(name, data)}`;
    setNews(before => [line, ...before].slice(0, LINES_MAX));
    if (name === 'state') refresh().catch(() => {});
  });
  usePoll(() => hasEnded(job) || refresh(), POLL_MS);
  return {job, news, refresh};
}
