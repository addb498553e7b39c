import {optionsOf} from './options.js';

const HEIGHT = 260;
const WIDTH_LEAST = 200;

const isFinite = y => typeof y === 'number' && Number.isFinite(y);

/** Curves [[x, y] …] as uPlot wants them, on one axis: {columns: [[x …], [y …] …], skipped}. In a
 * column `undefined` is another curve's x (the line goes on) and `null` a gap: a value that is not
 * finite, or not positive where the axis is logarithmic. */
function columnsOf(curves, isLog) {
  const xs = [...new Set(curves.flatMap(curve => curve.map(([x]) => x)))].sort((a, b) => a - b);
  const row = new Map(xs.map((x, k) => [x, k]));
  let skipped = 0;
  const column = curve => {
    const ys = Array(xs.length);
    for (const [x, y] of curve) {
      const isGood = isFinite(y) && !(isLog && y <= 0);
      if (!isGood) skipped++;
      ys[row.get(x)] = isGood ? y : null;
    }
    return ys;
  };
  return {columns: [xs, ...curves.map(column)], skipped};
}

/** A chart of uPlot. options: {place, title, onZoom}; place: an element; onZoom(from, to): null and
 * null for all. */
export class Plot {
  #uPlot;
  #options;
  #shape = null;
  #plot = null;
  #data = null;

  constructor(uPlot, options) {
    this.#uPlot = uPlot;
    this.#options = options;
  }

  get canvas() {
    return this.#plot?.ctx.canvas;
  }

  /** data: see options.js. isZoomed: the part of the axis that is shown stays. Returns how many
   * values were left out. */
  update(data, isZoomed) {
    const shape = JSON.stringify([data.labels, data.bands, data.log, data.x]);
    const {columns, skipped} = columnsOf(data.curves, data.log);
    this.#data = data;
    if (shape !== this.#shape) {
      this.#shape = shape;
      this.#build(columns);
    } else {
      this.#plot.setData(columns, !isZoomed);
      if (isZoomed) this.#plot.redraw();
    }
    return skipped;
  }

  /** Draws it again with the current colours. */
  rebuild() {
    if (this.#data) this.#build(columnsOf(this.#data.curves, this.#data.log).columns);
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

  #build(columns) {
    this.#plot?.destroy();
    const options = optionsOf(this.#data, this.#size(), this.#options.onZoom);
    this.#plot = new this.#uPlot(options, columns, this.#options.place);
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${this.#options.title}; its values are in the CSV`);
    this.#plot.over.addEventListener('dblclick', () => this.#options.onZoom(null, null));
  }
}
