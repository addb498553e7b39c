// Curves, drawn by uPlot. The library is fetched when a page first draws; a rinkd that was built
// without it says so and shows the last values instead.
import {h, number, save} from './dom.js';

export const chartsAreBuiltIn = document.documentElement.dataset.charts !== 'none';
const folder = new URL('.', import.meta.url);
let library = null;

function load() {
  library ??= new Promise((resolve, reject) => {
    document.head.append(h('link', {rel: 'stylesheet', href: new URL('uPlot.min.css', folder).href}));
    document.head.append(h('script', {src: new URL('uPlot.iife.min.js', folder).href, onload: () => resolve(window.uPlot), onerror: () => {
      library = null;
      reject(new Error('the chart library could not be loaded'));
    }}));
  });
  return library;
}

const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const seriesColour = k => colour(`--c${k % 6}`);

/** Points of several curves on one axis: [[x …], [y or null …] …]. What is not finite is a gap. */
export function align(curves) {
  const xs = [...new Set(curves.flatMap(curve => curve.map(point => point[0])))].sort((a, b) => a - b);
  const at = new Map(xs.map((x, k) => [x, k]));
  // undefined: another curve's x, the line goes on; null: a gap.
  return [xs, ...curves.map(curve => {
    const column = Array(xs.length);
    for (const [x, y] of curve)
      column[at.get(x)] = typeof y === 'number' && Number.isFinite(y) ? y : null;
    return column;
  })];
}

/** A chart in a card. update({x, labels, curves, bands, log}): curves are lists of [x, y]; bands are
 * pairs of numbers of curves [upper, lower]. onzoom(from, to), null and null: all. */
export class Chart {
  constructor(title, onzoom) {
    this.title = title;
    this.onzoom = onzoom;
    this.place = h('div', {class: 'chart'});
    this.note = h('p', {class: 'dim small'});
    this.element = h('section', {class: 'card', 'aria-label': `curve of ${title}`}, h('h2', {}, title), this.place, this.note,
      h('div', {class: 'buttons'}, h('button', {onclick: () => this.png(), 'aria-label': `save ${title} as PNG`}, 'PNG')));
    this.observer = new ResizeObserver(() => this.plot?.setSize(this.size()));
    this.observer.observe(this.place);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.onscheme = () => this.rebuild();
    this.scheme.addEventListener('change', this.onscheme);
  }

  size = () => ({width: Math.max(this.place.clientWidth, 200), height: 260});

  async update(data) {
    const uPlot = await load();
    const shape = JSON.stringify([data.labels, data.bands, data.log, data.x]);
    this.data = data;
    this.uPlot = uPlot;
    if (!this.plot || shape !== this.shape) {
      this.shape = shape;
      this.rebuild();
    } else {
      this.plot.setData(this.columns(), !this.zoomed);
      if (this.zoomed)
        this.plot.redraw();
    }
  }

  columns() {
    const {curves, log} = this.data;
    let skipped = 0;
    const columns = align(curves.map(curve => curve.map(([x, y]) => {
      const good = typeof y === 'number' && Number.isFinite(y) && !(log && y <= 0);
      skipped += good ? 0 : 1;
      return [x, good ? y : null];
    })));
    this.note.textContent = skipped ? `${number(skipped)} ${skipped === 1 ? 'value is' : 'values are'} not ${log ? 'positive numbers' : 'finite'} and left out.` : '';
    return columns;
  }

  rebuild() {
    if (!this.data)
      return;
    this.plot?.destroy();
    const {labels, bands = [], log, x = 'step'} = this.data, text = colour('--dim'), line = colour('--line');
    const axis = {stroke: text, grid: {stroke: line, width: 1}, ticks: {stroke: line}};
    const short = values => values.map(value => value === null ? '' : value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(1)
      : value.toLocaleString('en', {notation: 'compact', maximumSignificantDigits: 4}));
    const inBand = new Set(bands.flat());
    this.plot = new this.uPlot({
      ...this.size(), ms: 1,
      scales: {x: {time: x === 'time'}, y: {distr: log ? 3 : 1}},
      axes: [{...axis, values: x === 'time' ? undefined : (u, values) => short(values)}, {...axis, size: 64, values: (u, values) => short(values)}],
      series: [{label: x}, ...labels.map((label, k) => ({label: label.text, stroke: seriesColour(label.colour), width: inBand.has(k + 1) ? 0.5 : this.data.curves[k].length > 400 ? 1 : 2, spanGaps: false,
        points: {show: this.data.curves[k].length < 40}, value: (u, value) => number(value, 5)}))],
      bands: bands.map(([upper, lower]) => ({series: [upper, lower], fill: `${seriesColour(labels[upper - 1].colour)}33`})),
      cursor: {drag: {x: true, y: false}},
      hooks: {setSelect: [u => {
        if (u.select.width > 4) {
          this.zoomed = true;
          this.onzoom?.(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'));
        }
      }]},
    }, this.columns(), this.place);
    this.plot.over.addEventListener('dblclick', () => {
      this.zoomed = false;
      this.onzoom?.(null, null);
    });
  }

  /** The picture with its title, on the colour of the page. */
  png() {
    if (!this.plot)
      return;
    const source = this.plot.ctx.canvas, head = Math.round(28 * devicePixelRatio);
    const canvas = h('canvas', {width: source.width, height: source.height + head}), context = canvas.getContext('2d');
    context.fillStyle = colour('--card');
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = colour('--text');
    context.font = `${Math.round(16 * devicePixelRatio)}px system-ui, sans-serif`;
    context.fillText(this.title, head / 2, head * 0.75);
    context.drawImage(source, 0, head);
    canvas.toBlob(picture => save(`${this.title}.png`, picture));
  }

  destroy() {
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.onscheme);
    this.plot?.destroy();
  }
}
