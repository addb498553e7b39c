// How a chart looks: the options of uPlot.
import {number} from '../lib/format.js';
import {colour, curveColour, curveDash} from './colours.js';
import {drawMarks} from './extremes.js';

export const AXIS_WIDTH = 64;
const AXIS_FONT = '12px system-ui, "DejaVu Sans", sans-serif';
const THIN_FROM = 400; // with this many points a line is thin
const DOTS_BELOW = 40; // with fewer points each one is marked
const INTERVAL_OPACITY = 20; // per cent
const FAINT_OPACITY = 30;
const LEGEND_MOST = 12; // lines that a legend names; of more, the one under the pointer is told
const FOCUS_PX = 16; // how close the pointer has to be
const UNFOCUSED = 0.15; // opacity of the others

function short(value) {
  if (value === null) return '';
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(1);
  return value.toLocaleString('en', {notation: 'compact', maximumSignificantDigits: 4});
}
/** The distances between marks on an axis of whole steps: 1, 2, 5, 10, 20 … */
const WHOLE = Array.from({length: 30}, (_, k) => [1, 2, 5][k % 3] * 10 ** Math.floor(k / 3));
const shortAll = (u, values) => values.map(short);

function axes(x) {
  const line = colour('--line');
  const axis = {
    stroke: colour('--dim'),
    font: AXIS_FONT,
    grid: {stroke: line, width: 1},
    ticks: {stroke: line},
  };
  const isTime = x === 'time';
  const below = {
    size: 34,
    label: isTime ? null : x,
    labelSize: 18,
    labelGap: 0,
    labelFont: AXIS_FONT,
    incrs: x === 'step' || x === 'ends' ? WHOLE : undefined,
    values: isTime ? undefined : shortAll,
  };
  return [
    {...axis, ...below},
    {...axis, size: AXIS_WIDTH, values: shortAll},
  ];
}

/** A value in the legend, with its interval where it has one. */
function legendValue(interval) {
  return (u, value, k, at) => {
    const [high, low] = (interval.get(k) ?? []).map(one => u.data[one][at]);
    const known = [value, high, low].every(one => typeof one === 'number');
    return known ? `${number(value, 4)} (${number(low)} to ${number(high)})` : number(value, 5);
  };
}

/** Whether the k-th curve, from 1, is an end of an interval. */
const isEndOf = (interval, k) => [...interval.values()].some(ends => ends.includes(k));

/** How a line is drawn: ends of intervals are hairlines, the measured values behind a smoothed line
 * and many lines are thin, and few points have dots. */
function lineLook({isFaint}, points, {isEnd, isMany}) {
  const isPlain = isMany || isFaint;
  if (isEnd) return {width: 0.5, points: {show: false}};
  return {
    width: isPlain || points > THIN_FROM ? 1 : 2,
    points: {show: !isPlain && points < DOTS_BELOW},
  };
}

function series(data, interval, isMany) {
  return data.labels.map((label, k) => {
    const isEnd = isEndOf(interval, k + 1);
    return {
      label: label.text,
      class: isEnd || label.isFaint ? 'interval' : undefined,
      stroke: curveColour(label.colour, label.isFaint ? FAINT_OPACITY : undefined),
      dash: curveDash(label.colour),
      spanGaps: false,
      ...lineLook(label, data.curves[k].length, {isEnd, isMany}),
      value: legendValue(interval),
    };
  });
}

/** data: {x, labels: [{text, colour, isFaint}], curves, bands: [[of, upper, lower]], log, isCut}.
 * isFaint: measured values behind a smoothed line; isCut: extremes are left out. A band is the
 * interval of a curve, by the numbers of the curves from 1. rangeOf(min, max): the upright axis for
 * these values. onSelect(from, to): a part of the axis was dragged over. onPoint(text): of many
 * lines, the one under the pointer with its value; '' for none. */
export function optionsOf(data, size, {rangeOf, onSelect, onPoint}) {
  const interval = new Map(data.bands.map(([of, upper, lower]) => [of, [upper, lower]]));
  const fill = upper => curveColour(data.labels[upper - 1].colour, INTERVAL_OPACITY);
  const named = data.labels.filter(({isFaint}, k) => !isFaint && !isEndOf(interval, k + 1));
  const isMany = named.length > LEGEND_MOST;
  const tell = (u, k) => {
    const value = u.data[k]?.[u.cursor.idxs?.[k]];
    onPoint(
      k && typeof value === 'number' ? `${data.labels[k - 1].text}: ${number(value, 4)}` : '',
    );
  };
  // A curve hides with its interval.
  const setSeries = (u, k, {show, focus}) => {
    if (isMany && focus !== undefined) tell(u, k);
    for (const one of show === undefined ? [] : (interval.get(k) ?? [])) u.setSeries(one, {show});
  };
  const setSelect = u => {
    const {left, width} = u.select;
    if (width > 4) onSelect(u.posToVal(left, 'x'), u.posToVal(left + width, 'x'));
  };
  const range = (u, min, max) => rangeOf(min, max);
  const draw = u => drawMarks(u, k => curveColour(data.labels[k - 1].colour));
  return {
    ...size,
    ms: 1,
    scales: {x: {time: data.x === 'time'}, y: {distr: data.log ? 3 : 1, ...(!data.log && {range})}},
    axes: axes(data.x),
    series: [{label: data.x}, ...series(data, interval, isMany)],
    bands: data.bands.map(([, upper, lower]) => ({series: [upper, lower], fill: fill(upper)})),
    cursor: {drag: {x: true, y: false}, focus: {prox: isMany ? FOCUS_PX : -1}},
    focus: {alpha: isMany ? UNFOCUSED : 1},
    legend: {show: !isMany},
    hooks: {setSeries: [setSeries], setSelect: [setSelect], draw: [draw]},
  };
}
