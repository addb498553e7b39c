// The lines of a chart: of each run, or their mean, with their intervals.
import {shortId} from '../lib/format.js';
import {placer} from './axes.js';
import {endOf, possible} from './curve_names.js';

/** Collects lines for one chart, each with a name, a colour and maybe an interval. */
class Lines {
  labels = [];
  curves = [];
  bands = [];

  add(points, text, colour) {
    this.curves.push(points.filter(([x]) => x !== null));
    this.labels.push({text, colour});
  }

  addWithInterval({line, high, low}, {text, high: highText, low: lowText}, colour) {
    this.add(line, text, colour);
    this.add(high, highText, colour);
    this.add(low, lowText, colour);
    const count = this.curves.length;
    this.bands.push([count - 2, count - 1, count]);
  }
}

/** The label of a curve: the parts of its name that differ within the chart. */
const memberName = (name, names) =>
  (names.length > 1 && name.split('/').slice(1).join(' ')) || name;

function addMean(lines, {curves, described, axis}, name, names) {
  const place = placer(curves, axis, null);
  const average = curves.points(null, name) ?? [];
  const column = k => average.map(point => [place(point), possible(name, point[k], described)]);
  const text = {
    text: `mean ${memberName(name, names)}`,
    high: '95 % high',
    low: '95 % low',
  };
  const parts = {line: column(1), high: column(3), low: column(2)};
  lines.addWithInterval(parts, text, names.indexOf(name));
}

function addRun(lines, {curves, axis, runs}, name, names, run) {
  const place = placer(curves, axis, run.id);
  const own = which => curves.points(run.id, which)?.map(point => [place(point), point[1]]);
  const [line, high, low] = [own(name), own(endOf(name, 'high')), own(endOf(name, 'low'))];
  if (!line) return;
  const isOne = names.length === 1;
  const colour = isOne ? runs.indexOf(run) : names.indexOf(name);
  const ofRun = `${shortId(run.id)}, seed ${run.seed}`;
  const text = isOne && runs.length > 1 ? ofRun : memberName(name, names);
  const texts = {text, high: `${text} high`, low: `${text} low`};
  if (high && low) lines.addWithInterval({line, high, low}, texts, colour);
  else lines.add(line, text, colour);
}

/** {labels, curves, bands} of these curves; view: {curves, described, axis, runs,
 * mean}. */
export function linesOf(names, view) {
  const lines = new Lines();
  for (const name of names) {
    if (view.mean) addMean(lines, view, name, names);
    else view.runs.forEach(run => addRun(lines, view, name, names, run));
  }
  return {...lines};
}
