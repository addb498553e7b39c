// The horizontal axis of the curves: the step, the CPU time of the run, or the time of day.
import {stepWord} from '../lib/job_words.js';

const stepName = run => (run?.kind === 'train' ? `${stepWord(run.spec)}s` : 'step');

export const axisName = (axis, runs) =>
  ({step: stepName(runs[0]), cpu: 'CPU seconds', time: 'time'})[axis];

/** The index of the last point at or before a step; steps increase. */
function before(points, step) {
  let low = 0;
  let high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= step) low = middle;
    else high = middle;
  }
  return low;
}

/** The value of a curve [[step, value, …] …] at a step, between its points on a line; null outside
 * and where a neighbour is not a number. */
function interpolate(points, step) {
  if (!points.length || step < points[0][0] || step > points.at(-1)[0]) return null;
  const k = before(points, step);
  const a = points[k];
  const b = points[Math.min(k + 1, points.length - 1)];
  if (typeof a[1] !== 'number' || typeof b[1] !== 'number') return null;
  if (b[0] === a[0]) return a[1];
  return a[1] + ((b[1] - a[1]) * (step - a[0])) / (b[0] - a[0]);
}

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

/** The steps {from_step, to_step} of a part of the axis, judged by the loaded points; null if there
 * are none. */
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
