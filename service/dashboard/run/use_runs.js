import {get} from '../lib/api.js';
import {listen} from '../lib/events.js';
import {hasEnded} from '../lib/job_states.js';
import {useLoaded} from '../lib/use_loaded.js';
import {usePoll} from '../lib/use_poll.js';
import {useSoon} from '../lib/use_soon.js';
import {useEffect, useState} from '../vendor/preact.js';

const POLL_MS = 10000;
const EVENT_MS = 1000; // from an event to asking: there are many of them
const NEWS = ['metrics', 'state', 'done'];

/** Calls onNews() when a job of these runs measures something or changes its state. */
function useNews(runs, onNews) {
  const jobs = [...new Set((runs ?? []).filter(run => !hasEnded(run)).map(run => run.job))];
  useEffect(() => {
    const controller = new AbortController();
    for (const job of jobs)
      listen(`/v1/jobs/${job}/events`, name => NEWS.includes(name) && onNews(), controller.signal);
    return () => controller.abort();
  }, [jobs.join()]);
}

/** The runs as they go on: {loaded, runs, turn, refresh()}. runs is undefined until they are there;
 * turn counts how often they were asked for. Their curves are forgotten with each turn. */
export function useRuns(ids, curves) {
  const load = signal =>
    Promise.all(ids.map(id => get(`/v1/runs/${encodeURIComponent(id)}`, {signal})));
  const loaded = useLoaded(load, []);
  const [newer, setNewer] = useState({turn: 0});
  const runs = newer.runs ?? loaded.value;
  const refresh = async signal => {
    const now = await load(signal);
    curves.forget();
    setNewer(({turn}) => ({runs: now, turn: turn + 1}));
  };
  const soon = useSoon(() => refresh().catch(() => {}), EVENT_MS);
  useNews(runs, soon);
  usePoll(signal => runs?.some(run => !hasEnded(run)) && refresh(signal), POLL_MS);
  return {loaded, runs, turn: newer.turn, refresh};
}
