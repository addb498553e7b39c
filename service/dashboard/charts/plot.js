import {columnsOf} from './columns.js';
import {optionsOf} from './options.js';

const HEIGHT = 260;
const WIDTH_LEAST = 200;

/** A chart of uPlot in an element. onZoom(from, to): null and null for all. */
export class Plot {
  #uPlot;
  #place;
  #title;
  #onZoom;
  #shape = null;
  #plot = null;
  #data = null;

  constructor(uPlot, {place, title, onZoom}) {
    this.#uPlot = uPlot;
    this.#place = place;
    this.#title = title;
    this.#onZoom = onZoom;
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

  /** The same with the colours of now. */
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
    return {width: Math.max(this.#place.clientWidth, WIDTH_LEAST), height: HEIGHT};
  }

  #build(columns) {
    this.#plot?.destroy();
    const options = optionsOf(this.#data, this.#size(), this.#onZoom);
    this.#plot = new this.#uPlot(options, columns, this.#place);
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${this.#title}; its values are in the CSV`);
    this.#plot.over.addEventListener('dblclick', () => this.#onZoom(null, null));
  }
}
