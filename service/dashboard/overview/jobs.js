// The newest jobs: those that run, those that wait, and those that have ended.
import {get, query} from '../lib/api.js';
import {loadJobKinds} from '../lib/job_kinds.js';
import {ENDED} from '../lib/job_states.js';

const SHOWN = 8;

async function newest(state, signal) {
  const asked = query({state, limit: SHOWN, fields: 'id,finished_at'});
  return (await get(`/v1/jobs${asked}`, {signal})).items;
}

/** The jobs of a list in full; those in `known` have ended and do not change. Jobs deleted in
 * between are left out. */
async function details(list, known, signal) {
  const load = async ({id}) => known.find(job => job.id === id) ?? get(`/v1/jobs/${id}`, {signal});
  const results = await Promise.allSettled(list.map(load));
  return results.filter(({status}) => status === 'fulfilled').map(({value}) => value);
}

/** {running, waiting, ended, kinds}; before: the same from the last call. */
export async function loadJobs(signal, before) {
  const states = ['leased', 'paused', 'ready', ...ENDED];
  const lists = await Promise.all(states.map(state => newest(state, signal)));
  const [leased, paused, ready, ...ended] = lists;
  const last = ended.flat().sort((a, b) => b.finished_at.localeCompare(a.finished_at));
  const [running, waiting, shown, kinds] = await Promise.all([
    details(leased, [], signal),
    details([...paused, ...ready], [], signal),
    details(last.slice(0, SHOWN), before?.ended ?? [], signal),
    loadJobKinds(),
  ]);
  const position = job => job.position ?? Infinity;
  waiting.sort((a, b) => (position(a) < position(b) ? -1 : position(a) > position(b) ? 1 : 0));
  return {running, waiting, ended: shown, kinds};
}
