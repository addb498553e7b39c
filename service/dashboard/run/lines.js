// The lines of a chart: of each run, or their mean, with their intervals.
import {curveWords, memberWords} from './curve_words.js';
import {shortId} from '../lib/format.js';
import {placer} from './axes.js';
import {endOf, possible} from './curve_names.js';
import {SEEDS_LEAST, wholeMean} from './seeds.js';
import {smoothed} from './smoothing.js';

/** Collects lines for one chart, each with a name, a colour and maybe an interval. */
class Lines {
  labels = [];
  curves = [];
  bands = [];
  #smooth;

  constructor(smooth) {
    this.#smooth = smooth;
  }

  #push(points, label) {
    this.curves.push(points);
    this.labels.push(label);
  }

  /** A smoothed line has the measured one behind it, faint. */
  add(points, text, colour) {
    const placed = points.filter(([x]) => x !== null);
    if (this.#smooth) this.#push(placed, {text: `${text}, measured`, colour, isFaint: true});
    this.#push(this.#smooth ? smoothed(placed, this.#smooth) : placed, {text, colour});
  }

  addWithInterval({line, high, low}, {text, high: highText, low: lowText}, colour) {
    const placed = points => points.filter(([x]) => x !== null);
    this.add(line, text, colour);
    this.#push(placed(high), {text: highText, colour});
    this.#push(placed(low), {text: lowText, colour});
    const count = this.curves.length;
    this.bands.push([count - 2, count - 1, count]);
  }
}

const BANDS_MOST = 8; // runs whose intervals are drawn; those of more would cover each other

/** The label of a curve within its chart. */
const memberName = (name, names, described) =>
  names.length > 1 ? memberWords(name, names) : curveWords(name, described);

/** The mean of a group of seeds with its band. */
function addMean(lines, {curves, described, axis, groups}, name, names, group) {
  const place = placer(curves, axis, group.key);
  const average = wholeMean(curves.points(group.key, name) ?? []);
  if (!average.length) return;
  const column = k => average.map(point => [place(point), possible(name, point[k], described)]);
  const member = names.length > 1 ? memberName(name, names, described) : '';
  const text = {
    text: ['mean', member, group.name].filter(Boolean).join(', '),
    high: '95 % high',
    low: '95 % low',
  };
  const parts = {line: column(1), high: column(3), low: column(2)};
  const colour = names.length > 1 ? names.indexOf(name) : groups.indexOf(group);
  lines.addWithInterval(parts, text, colour);
}

function addRun(lines, {curves, described, axis, runs}, name, names, run) {
  const place = placer(curves, axis, run.id);
  const own = which => curves.points(run.id, which)?.map(point => [place(point), point[1]]);
  const [line, high, low] = [own(name), own(endOf(name, 'high')), own(endOf(name, 'low'))];
  if (!line) return;
  const isOne = names.length === 1;
  const colour = isOne ? runs.indexOf(run) : names.indexOf(name);
  const ofRun = `${shortId(run.id)}, seed ${run.seed}`;
  const text = isOne && runs.length > 1 ? ofRun : memberName(name, names, described);
  const texts = {text, high: `${text} high`, low: `${text} low`};
  if (high && low && runs.length <= BANDS_MOST)
    lines.addWithInterval({line, high, low}, texts, colour);
  else lines.add(line, text, colour);
}

/** {labels, curves, bands} of these curves; view: {curves, described, axis, runs, mean, smooth,
 * groups: of seedGroups()}. A group of few seeds has no mean: its runs are shown. */
export function linesOf(names, view) {
  const lines = new Lines(view.smooth);
  const isMean = ({runs}) => view.mean && runs.length >= SEEDS_LEAST;
  for (const name of names)
    for (const group of view.groups)
      if (isMean(group)) addMean(lines, view, name, names, group);
      else group.runs.forEach(run => addRun(lines, view, name, names, run));
  return {labels: lines.labels, curves: lines.curves, bands: lines.bands};
}
