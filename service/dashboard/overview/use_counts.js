import {useEvents} from '../lib/events.js';
import {useRef, useState} from '../vendor/preact.js';

/** The counts after a job went from one state to another; `before` undefined: it is new here. */
function moved(counts, before, after) {
  if (before === after) return counts;
  const now = {...counts, [after]: (counts[after] ?? 0) + 1};
  const left = before ?? 'ready'; // where jobs begin
  if (left !== after && now[left] > 0) now[left]--;
  return now;
}

/** How many jobs are in each state, as the service tells it; null while it has not. stateOf(id):
 * the state of a job that is known otherwise; onChange(): a job has moved. */
export function useCounts(stateOf, onChange) {
  const [counts, setCounts] = useState(null);
  const states = useRef(new Map()); // of jobs that have moved, by id
  useEvents(['/v1/events'], (name, data) => {
    if (name === 'reset') {
      states.current.clear();
      setCounts(data);
    } else if (name === 'state') {
      const before = states.current.get(data.id) ?? stateOf(data.id);
      states.current.set(data.id, data.state);
      setCounts(now => moved(now ?? {}, before, data.state));
      onChange();
    }
  });
  return counts;
}
