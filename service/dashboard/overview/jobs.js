// The newest jobs: those that run, those that wait, and those that have ended.
import {get, query} from '../lib/api.js';
import {loadJobKinds} from '../lib/job_kinds.js';
import {ENDED} from '../lib/job_states.js';

const SHOWN = 8;

const FIELDS = 'id,kind,owner,state,progress,eta_s,finished_at,position,waiting_because,error,runs';
const REVIEW = 'spec.game,result.teams'; // all of a review would be a hundred times as long

async function newest(state, signal) {
  const asked = query({state, limit: SHOWN, fields: 'id,kind,finished_at'});
  return (await get(`/v1/jobs${asked}`, {signal})).items;
}

/** The jobs of a list with what is told of them; those in `known` have ended and do not change.
 * Jobs deleted in between are left out. */
async function details(list, known, signal) {
  const ask = ({id, kind}) => {
    const fields = `${FIELDS},${kind === 'review' ? REVIEW : 'spec,result'}`;
    return get(`/v1/jobs/${id}${query({fields})}`, {signal});
  };
  const load = async job => known.find(({id}) => id === job.id) ?? ask(job);
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
