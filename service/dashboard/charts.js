// Curves, drawn by uPlot. The library is fetched when a page first draws; a rinkd that was built
// without it says so and shows the last values instead.
import {h, number, save} from './dom.js';

export const chartsAreBuiltIn = document.documentElement.dataset.charts !== 'none';
const AXIS_WIDTH = 64, AXIS_FONT = '12px system-ui, "DejaVu Sans", sans-serif';
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
const COLOURS = 6, DASHES = [[], [8, 4], [2, 3]]; // one after the other
export const seriesColour = k => colour(`--c${k % COLOURS}`);

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

/** A chart in a card, with a line that says what it shows. update({x, labels, curves, bands, log}):
 * curves are lists of [x, y]; bands are [of, upper, lower], numbers of curves: the interval of the
 * first. onzoom(from, to), null and null: all. */
export class Chart {
  constructor(title, about, onzoom) {
    this.title = title;
    this.about = about;
    this.onzoom = onzoom;
    this.place = h('div', {class: 'chart'});
    this.note = h('p', {class: 'dim small'});
    this.element = h('section', {class: 'card', 'aria-label': `curve of ${title}`},
      h('div', {class: 'head'}, h('h2', {}, title), h('button', {class: 'small', onclick: () => this.png(), 'aria-label': `save ${title} as PNG`}, 'PNG')),
      h('p', {class: 'dim small'}, about), this.place, this.note);
    this.observer = new ResizeObserver(() => this.plot?.setSize(this.size()));
    this.observer.observe(this.place);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.onscheme = () => this.rebuild();
    this.scheme.addEventListener('change', this.onscheme);
  }

  /** Pixels that the curves have, without the scale beside them. */
  plotWidth = () => Math.max(this.place.clientWidth - AXIS_WIDTH, 100);
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
    const axis = {stroke: text, font: AXIS_FONT, grid: {stroke: line, width: 1}, ticks: {stroke: line}};
    const short = values => values.map(value => value === null ? '' : value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(1)
      : value.toLocaleString('en', {notation: 'compact', maximumSignificantDigits: 4}));
    const bandOf = new Map(bands.map(([of, upper, lower]) => [of, [upper, lower]])), inBand = new Set([...bandOf.values()].flat());
    // A line is told with its interval, and hides with it.
    const say = (u, value, k, at) => {
      const [high, low] = (bandOf.get(k) ?? []).map(one => u.data[one][at]);
      return typeof value === 'number' && typeof high === 'number' && typeof low === 'number' ? `${number(value, 4)} (${number(low)} to ${number(high)})` : number(value, 5);
    };
    this.plot = new this.uPlot({
      ...this.size(), ms: 1,
      scales: {x: {time: x === 'time'}, y: {distr: log ? 3 : 1}},
      axes: [{...axis, size: 34, label: x === 'time' ? null : x, labelSize: 18, labelGap: 0, labelFont: AXIS_FONT, values: x === 'time' ? undefined : (u, values) => short(values)}, {...axis, size: AXIS_WIDTH, values: (u, values) => short(values)}],
      series: [{label: x}, ...labels.map((label, k) => ({label: label.text, class: inBand.has(k + 1) ? 'interval' : undefined, stroke: seriesColour(label.colour), dash: DASHES[Math.floor(label.colour / COLOURS) % DASHES.length], width: inBand.has(k + 1) ? 0.5 : this.data.curves[k].length > 400 ? 1 : 2, spanGaps: false,
        points: {show: !inBand.has(k + 1) && this.data.curves[k].length < 40}, value: say}))],
      bands: bands.map(([, upper, lower]) => ({series: [upper, lower], fill: `${seriesColour(labels[upper - 1].colour)}33`})),
      cursor: {drag: {x: true, y: false}},
      hooks: {setSeries: [(u, k, {show}) => {
        for (const one of show === undefined ? [] : bandOf.get(k) ?? [])
          u.setSeries(one, {show});
      }], setSelect: [u => {
        if (u.select.width > 4) {
          this.zoomed = true;
          this.onzoom?.(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'));
        }
      }]},
    }, this.columns(), this.place);
    const canvas = this.plot.ctx.canvas;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${this.title}: ${this.about}; its values are in the CSV`);
    this.plot.over.addEventListener('dblclick', () => {
      this.zoomed = false;
      this.onzoom?.(null, null);
    });
  }

  /** The picture with its title and what that means, on the colour of the page. */
  png() {
    if (!this.plot)
      return;
    const source = this.plot.ctx.canvas, head = Math.round(48 * devicePixelRatio), left = Math.round(14 * devicePixelRatio);
    const canvas = h('canvas', {width: source.width, height: source.height + head}), context = canvas.getContext('2d');
    context.fillStyle = colour('--card');
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = colour('--text');
    context.font = `${Math.round(16 * devicePixelRatio)}px system-ui, sans-serif`;
    context.fillText(this.title, left, head * 0.45);
    context.fillStyle = colour('--dim');
    context.font = `${Math.round(12 * devicePixelRatio)}px system-ui, sans-serif`;
    context.fillText(this.about, left, head * 0.85);
    context.drawImage(source, 0, head);
    canvas.toBlob(picture => save(`${this.title}.png`, picture));
  }

  destroy() {
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.onscheme);
    this.plot?.destroy();
  }
}
