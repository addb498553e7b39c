import {useState} from '../vendor/preact.js';
import {stepsOf} from './axes.js';

const WHOLE = {range: {from_step: null, to_step: null}, draggedIn: null};
const MEAN_FROM = 3; // with this many runs, their mean is shown at first

/** The view of the curves and the functions that change it. view: {axis, log, mean, range,
 * draggedIn: the chart that a part was dragged over in, or null}. */
export function useView(curves, runs) {
  const [view, setView] = useState({
    axis: 'step',
    log: false,
    mean: runs.length >= MEAN_FROM,
    ...WHOLE,
  });
  const change = changes => setView(before => ({...before, ...changes}));
  return {
    view,
    setAxis: axis => change({axis, ...WHOLE}),
    setLog: log => change({log}),
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
