import {countBeyond, limitsOf} from './extremes.js';
import {optionsOf} from './options.js';

const HEIGHT = 260;
const WIDTH_LEAST = 200;

const isFinite = y => typeof y === 'number' && Number.isFinite(y);

/** The curves [[x, y] …] of some data as uPlot wants them, on one axis: {columns: [[x …], [y …] …],
 * skipped}. In a column `undefined` is another curve's x (the line goes on) and `null` a gap: a
 * value that is not finite, or not positive where the axis is logarithmic. */
function columnsOf({curves, labels, log: isLog}) {
  const xs = [...new Set(curves.flatMap(curve => curve.map(([x]) => x)))].sort((a, b) => a - b);
  const row = new Map(xs.map((x, k) => [x, k]));
  let skipped = 0;
  const column = (curve, k) => {
    const ys = Array(xs.length);
    for (const [x, y] of curve) {
      const isGood = isFinite(y) && !(isLog && y <= 0);
      if (!isGood && !labels[k].isFaint) skipped++;
      ys[row.get(x)] = isGood ? y : null;
    }
    return ys;
  };
  return {columns: [xs, ...curves.map(column)], skipped};
}

/** A chart of uPlot. options: {place, title, onZoom, onPoint}; place: an element; onZoom(from, to):
 * null and null for all; onPoint(text): see options.js. */
export class Plot {
  #uPlot;
  #options;
  #shape = null;
  #plot = null;
  #data = null;
  #limits = {low: null, high: null}; // of the upright axis, where extremes are left out

  constructor(uPlot, options) {
    this.#uPlot = uPlot;
    this.#options = options;
  }

  get canvas() {
    return this.#plot?.ctx.canvas;
  }

  /** data: see options.js. isZoomed: the part of the axis that is shown stays. Returns how many
   * values cannot be drawn, and how many are beyond the axis: {skipped, cut}. */
  update(data, isZoomed) {
    const shape = JSON.stringify([data.labels, data.bands, data.log, data.x]);
    const {columns, skipped} = columnsOf(data);
    this.#data = data;
    const values = columns.slice(1);
    const isCut = data.isCut && !data.log;
    this.#limits = isCut ? limitsOf(values) : {low: null, high: null};
    const cut = isCut ? countBeyond(values, this.#limits) : 0;
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#build(columns);
    } else {
      this.#plot.setData(columns, !isZoomed);
      if (isZoomed) this.#plot.redraw();
    }
    return {skipped, cut};
  }

  /** Draws it again with the current colours. */
  rebuild() {
    if (this.#data) this.#build(columnsOf(this.#data).columns);
  }

  resize() {
    this.#plot?.setSize(this.#size());
  }

  destroy() {
    this.#plot?.destroy();
  }

  #size() {
    return {width: Math.max(this.#options.place.clientWidth, WIDTH_LEAST), height: HEIGHT};
  }

  #range(min, max) {
    if (min === null || max === null) return [min, max];
    const {low, high} = this.#limits;
    const least = Math.max(min, low ?? min);
    return this.#uPlot.rangeNum(least, Math.max(Math.min(max, high ?? max), least), 0.1, true);
  }

  #build(columns) {
    this.#plot?.destroy();
    const options = optionsOf(this.#data, this.#size(), {
      rangeOf: (min, max) => this.#range(min, max),
      onSelect: this.#options.onZoom,
      onPoint: this.#options.onPoint,
    });
    this.#plot = new this.#uPlot(options, columns, this.#options.place);
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${this.#options.title}; its values are in the CSV`);
    this.#plot.over.addEventListener('dblclick', () => this.#options.onZoom(null, null));
  }
}
