import {get, query} from '../lib/api.js';
import {useEvents} from '../lib/events.js';
import {hasEnded} from '../lib/job_states.js';
import {usePolled, useSoon} from '../lib/use_poll.js';

const POLL_MS = 10000;
const EVENT_MS = 1000; // from an event to the request: there are many events
const NEWS = ['metrics', 'state', 'done'];

const FIELDS = 'id,job,kind,seed,state,spec,versions,tags,created_at,metrics,policies';

/** The runs of these ids, in this order. */
async function loadRuns(ids, signal) {
  const one = id => get(`/v1/runs/${encodeURIComponent(id)}`, {signal});
  const asked = query({ids: ids.join(), fields: FIELDS, limit: ids.length});
  const {items} = await get(`/v1/runs${asked}`, {signal});
  const found = new Map(items.map(run => [run.id, run]));
  const unknown = ids.find(id => !found.has(id));
  if (unknown) await one(unknown); // says that there is none
  return ids.map(id => found.get(id)).filter(Boolean);
}

/** Runs that are kept up to date: {value: {runs, turn}, error, reload()}. turn counts the loads;
 * each of them makes the curves forget their points. */
export function useRuns(ids, curves) {
  const load = async (signal, before) => {
    if (before?.runs.every(hasEnded)) return before;
    const runs = await loadRuns(ids, signal);
    curves.forget();
    return {runs, turn: before ? before.turn + 1 : 0};
  };
  const polled = usePolled(load, POLL_MS);
  const soon = useSoon(polled.reload, EVENT_MS);
  const active = polled.value?.runs.filter(run => !hasEnded(run)) ?? [];
  const jobs = new Set(active.map(run => run.job));
  const paths = [...jobs].map(job => `/v1/jobs/${job}/events`);
  useEvents(paths, name => NEWS.includes(name) && soon());
  return polled;
}
