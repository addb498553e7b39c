import {counted} from '../lib/format.js';
import {save} from '../lib/save.js';
import {html, useEffect, useRef, useState} from '../vendor/preact.js';
import {colour} from './colours.js';
import {loadCharts} from './library.js';
import {Plot} from './plot.js';

const HEAD_PX = 48; // above the chart, for its title
const LEFT_PX = 14;

/** Saves a canvas as PNG under a title and a line about it, on the colour of the page. */
function savePicture(source, title, about) {
  const pixels = count => Math.round(count * devicePixelRatio);
  const canvas = document.createElement('canvas');
  const head = pixels(HEAD_PX);
  canvas.width = source.width;
  canvas.height = source.height + head;
  const context = canvas.getContext('2d');
  const write = (text, size, name, y) => {
    context.fillStyle = colour(name);
    context.font = `${pixels(size)}px system-ui, sans-serif`;
    context.fillText(text, pixels(LEFT_PX), y);
  };
  context.fillStyle = colour('--card');
  context.fillRect(0, 0, canvas.width, canvas.height);
  write(title, 16, '--text', head * 0.45);
  write(about, 12, '--dim', head * 0.85);
  context.drawImage(source, 0, head);
  canvas.toBlob(picture => save(`${title}.png`, picture));
}

const countWords = count => counted(count, 'value is', 'values are');

function noteOf({skipped, cut}, isLog) {
  const kind = isLog ? 'positive numbers' : 'finite';
  return [
    skipped && `${countWords(skipped)} not ${kind} and left out.`,
    cut && `${countWords(cut)} far from the others: marks at the edge.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** The plot in an element, once the library is loaded. */
function usePlot(place, title, onZoom, onPoint) {
  const [plot, setPlot] = useState(null);
  const latest = useRef(onZoom);
  latest.current = onZoom;
  useEffect(() => {
    let made = null;
    let isGone = false;
    loadCharts().then(uPlot => {
      if (isGone) return;
      const zoom = (from, to) => latest.current(from, to);
      made = new Plot(uPlot, {place: place.current, title, onZoom: zoom, onPoint});
      setPlot(made);
    });
    const sizes = new ResizeObserver(() => made?.resize());
    const recolour = () => made?.rebuild();
    const schemes = ['(prefers-color-scheme: dark)', 'print'].map(query => matchMedia(query));
    sizes.observe(place.current);
    schemes.forEach(scheme => scheme.addEventListener('change', recolour));
    return () => {
      isGone = true;
      sizes.disconnect();
      schemes.forEach(scheme => scheme.removeEventListener('change', recolour));
      made?.destroy();
    };
  }, []);
  return plot;
}

/** Curves in a card, with a line that says what they are. title: tells the chart from others; head:
 * the same for people; data: see options.js, or null while there is none; isZoomed: a part of it
 * was dragged over; observe(element): is it in sight? */
export function Chart({title, head, about, data, isZoomed, onZoom, observe}) {
  const card = useRef(null);
  const place = useRef(null);
  const [pointed, setPointed] = useState('');
  const plot = usePlot(place, `${head}: ${about}`, onZoom, setPointed);
  const [note, setNote] = useState('');
  useEffect(() => observe(card.current), []);
  useEffect(() => {
    if (plot && data) setNote(noteOf(plot.update(data, isZoomed), data.log));
  }, [plot, data]);
  const savePng = () => plot?.canvas && savePicture(plot.canvas, head, about);
  return html`<section
    ref=${card}
    class="card"
    data-curve=${title}
    aria-label="curve of ${head}"
  >
    <div class="head">
      <h2>${head}</h2>
      <button class="small" aria-label="save ${head} as PNG" onClick=${savePng}>PNG</button>
    </div>
    <p class="dim small">${about}</p>
    <div class="chart" ref=${place}></div>
    <p class="small pointed">${pointed}</p>
    <p class="dim small">${note}</p>
  </section>`;
}
