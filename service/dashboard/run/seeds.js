// Runs that differ in their seed alone: their mean says what the setting does.
import {shortId} from '../lib/format.js';

export const SEEDS_LEAST = 3; // for a mean with a band; fewer are shown one by one

/** What runs of one group share. */
function settingOf({kind, spec}) {
  const rest = Object.entries(spec ?? {}).filter(([name]) => !['seed', 'seeds'].includes(name));
  return JSON.stringify([kind, rest]);
}

/** Groups [{key, runs, name}] of runs; key: the ids. */
export function seedGroups(runs) {
  const groups = new Map();
  for (const run of runs) {
    const setting = settingOf(run);
    groups.set(setting, [...(groups.get(setting) ?? []), run]);
  }
  return [...groups.values()].map(own => ({
    key: own.map(({id}) => id).join(),
    runs: own,
    name: groups.size > 1 ? `${shortId(own[0].id)}, ${own.length} seeds` : `${own.length} seeds`,
  }));
}

/** The part of a mean where all seeds are that ever were: one over fewer would jump. points:
 * [[step, mean, low, high, runs] …] */
export function wholeMean(points) {
  const most = Math.max(...points.map(point => point[4]), 0);
  return points.filter(point => point[4] === most);
}
