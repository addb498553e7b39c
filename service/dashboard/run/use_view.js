import {useState} from '../vendor/preact.js';
import {stepsOf} from './axes.js';
import {seedGroups, SEEDS_LEAST} from './seeds.js';

const WHOLE = {range: {from_step: null, to_step: null}, draggedIn: null};

/** Whether some runs are seeds of one setting, enough of them for a mean. */
export const hasMeans = runs => seedGroups(runs).some(group => group.runs.length >= SEEDS_LEAST);

/** The view of the curves and the functions that change it. view: {axis, log, mean: over seeds,
 * smooth: weight of the past from 0 to 1, isCut: extremes are left out, range, draggedIn: the chart
 * that a part was dragged over in, or null}. */
export function useView(curves, runs) {
  const [view, setView] = useState({
    axis: 'step',
    log: false,
    mean: hasMeans(runs),
    smooth: 0,
    isCut: true,
    ...WHOLE,
  });
  const change = changes => setView(before => ({...before, ...changes}));
  return {
    view,
    setAxis: axis => change({axis, ...WHOLE}),
    setLog: log => change({log}),
    setSmooth: smooth => change({smooth}),
    setCut: isCut => change({isCut}),
    // Runs share steps, not times of day.
    setMean: mean => change({mean, axis: mean && view.axis === 'time' ? 'step' : view.axis}),
    setRange: range => change({range, draggedIn: null}),
    showAll: () => change(WHOLE),
    /** A part of the axis was dragged over; null: a double click, all. */
    zoom: (title, low, high) =>
      low === null
        ? change(WHOLE)
        : change({range: stepsOf(curves, view.axis, low, high) ?? view.range, draggedIn: title}),
  };
}
