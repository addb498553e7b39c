// The newest jobs: those that run, those that wait, and those that have ended.
import {get, query} from '../lib/api.js';
import {loadJobKinds} from '../lib/job_kinds.js';
import {ENDED, hasEnded} from '../lib/job_states.js';

const SHOWN = 8;

async function newest(state, signal) {
  const asked = query({state, limit: SHOWN, fields: 'id,finished_at'});
  return (await get(`/v1/jobs${asked}`, {signal})).items;
}

/** The jobs of a list in full. `known` keeps ended jobs, which do not change. Jobs deleted in
 * between are left out. */
async function details(list, known, signal) {
  const load = async ({id}) => {
    const job = known.get(id) ?? (await get(`/v1/jobs/${id}`, {signal}));
    if (hasEnded(job)) known.set(id, job);
    return job;
  };
  const results = await Promise.allSettled(list.map(load));
  return results.filter(({status}) => status === 'fulfilled').map(({value}) => value);
}

/** {running, waiting, ended, kinds}; known: a Map that the caller keeps between calls. */
export async function loadJobs(known, signal) {
  const states = ['leased', 'paused', 'ready', ...ENDED];
  const lists = await Promise.all(states.map(state => newest(state, signal)));
  const [leased, paused, ready, ...ended] = lists;
  const last = ended.flat().sort((a, b) => b.finished_at.localeCompare(a.finished_at));
  const [running, waiting, shown, kinds] = await Promise.all([
    details(leased, known, signal),
    details([...paused, ...ready], known, signal),
    details(last.slice(0, SHOWN), known, signal),
    loadJobKinds(),
  ]);
  const position = job => job.position ?? Infinity;
  waiting.sort((a, b) => (position(a) < position(b) ? -1 : position(a) > position(b) ? 1 : 0));
  return {running, waiting, ended: shown, kinds};
}
