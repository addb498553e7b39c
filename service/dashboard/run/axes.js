// What curves are drawn against: the step, the CPU time of the run, or the time of day.
import {interpolate} from './interpolate.js';

export const axisName = (axis, runs) =>
  ({step: runs[0]?.kind === 'train' ? 'ends' : 'step', cpu: 'CPU seconds', time: 'time'})[axis];

/** The function that gives the place of a point [step, value, at] of a run on the axis. */
export function placer(curves, axis, run) {
  if (axis === 'step') return ([step]) => step;
  if (axis === 'time') return ([, , at]) => at;
  const spent = curves.points(run, 'cpu_s') ?? [];
  return ([step]) => interpolate(spent, step);
}

/** The first and the last step of the points between two places on the axis. */
function stepsBetween(points, place, low, high) {
  const at = points.map(place);
  const first = at.findLastIndex(x => x !== null && x <= low);
  const last = at.findIndex(x => x !== null && x >= high);
  return [points[Math.max(first, 0)]?.[0], points.at(last)?.[0]];
}

/** The steps {from_step, to_step} that a part of the axis shows, as far as the points tell that are
 * there; null where they do not. */
export function stepsOf(curves, axis, low, high) {
  if (axis === 'step') return {from_step: Math.floor(low), to_step: Math.ceil(high)};
  const steps = curves
    .all()
    .map(({run, points}) => stepsBetween(points, placer(curves, axis, run), low, high))
    .filter(([first]) => first !== undefined);
  if (!steps.length) return null;
  return {
    from_step: Math.min(...steps.map(([first]) => first)),
    to_step: Math.max(...steps.map(([, last]) => last)),
  };
}
