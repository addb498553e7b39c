// A branch: a training that goes on from a checkpoint of another run.
import {get} from '../lib/api.js';

/** The run and the step that an address "?from=RUN&step=STEP" names, or null. */
export async function branchOrigin(query, signal) {
  const run = query.get('from');
  if (!run) return null;
  const {spec, seed} = await get(`/v1/runs/${encodeURIComponent(run)}`, {signal});
  return {spec, seed, from: {run, step: Number(query.get('step'))}};
}

/** What the run was asked, for twice as long. */
export const branchSpec = ({spec, seed, from}) => ({
  ...spec,
  seeds: [seed],
  iterations: 2 * spec.iterations,
  from,
});
