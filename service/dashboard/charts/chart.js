import {number} from '../lib/format.js';
import {html, useEffect, useRef, useState} from '../vendor/preact.js';
import {loadCharts} from './library.js';
import {savePicture} from './picture.js';
import {Plot} from './plot.js';

function skippedWords(count, isLog) {
  if (!count) return '';
  const kind = isLog ? 'positive numbers' : 'finite';
  return `${number(count)} ${count === 1 ? 'value is' : 'values are'} not ${kind} and left out.`;
}

/** The plot in an element, as soon as the library is there. */
function usePlot(place, title, onZoom) {
  const [plot, setPlot] = useState(null);
  const latest = useRef(onZoom);
  latest.current = onZoom;
  useEffect(() => {
    let made = null;
    let isGone = false;
    loadCharts().then(uPlot => {
      if (isGone) return;
      const zoom = (from, to) => latest.current(from, to);
      made = new Plot(uPlot, {place: place.current, title, onZoom: zoom});
      setPlot(made);
    });
    const sizes = new ResizeObserver(() => made?.resize());
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const recolour = () => made?.rebuild();
    sizes.observe(place.current);
    scheme.addEventListener('change', recolour);
    return () => {
      isGone = true;
      sizes.disconnect();
      scheme.removeEventListener('change', recolour);
      made?.destroy();
    };
  }, []);
  return plot;
}

/** Curves in a card, with a line that says what they are. data: see options.js, or null while there
 * is none; isZoomed: a part of it was dragged over; observe(element): is it in sight? */
export function Chart({title, about, data, isZoomed, onZoom, observe}) {
  const card = useRef(null);
  const place = useRef(null);
  const plot = usePlot(place, `${title}: ${about}`, onZoom);
  const [note, setNote] = useState('');
  useEffect(() => observe(card.current), []);
  useEffect(() => {
    if (plot && data) setNote(skippedWords(plot.update(data, isZoomed), data.log));
  }, [plot, data]);
  const savePng = () => plot?.canvas && savePicture(plot.canvas, title, about);
  return html`<section
    ref=${card}
    class="card"
    data-curve=${title}
    aria-label="curve of ${title}"
  >
    <div class="head">
      <h2>${title}</h2>
      <button class="small" aria-label="save ${title} as PNG" onClick=${savePng}>PNG</button>
    </div>
    <p class="dim small">${about}</p>
    <div class="chart" ref=${place}></div>
    <p class="dim small">${note}</p>
  </section>`;
}
