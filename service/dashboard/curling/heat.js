// Values over the ice as colours: a palette that the colour-blind can read, from dark (low) to
// light (high); no team has its colours.
import {html} from '../vendor/preact.js';

// Evenly spaced points of "cividis" (J. Nunez, C. Anderton and R. Renslow, PLOS ONE 2018).
const PALETTE = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 121],
  [165, 156, 116],
  [195, 179, 106],
  [225, 204, 85],
  [254, 232, 56],
];
const OPAQUE = 255;
const LEGEND_COLUMNS = 64;

/** The colour of a share from 0 to 1. */
function colour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (PALETTE.length - 1);
  const k = Math.min(Math.floor(at), PALETTE.length - 2);
  return PALETTE[k].map((low, i) => low + (at - k) * (PALETTE[k + 1][i] - low));
}

/** A picture of one pixel a value, as an address; values: rows from the top, null: transparent. */
function pictureOf(values, columns, [low, high]) {
  const canvas = document.createElement('canvas');
  canvas.width = columns;
  canvas.height = values.length / columns;
  const ink = canvas.getContext('2d');
  const image = ink.createImageData(canvas.width, canvas.height);
  values.forEach((value, k) => {
    if (value === null) return;
    const share = high > low ? (value - low) / (high - low) : 0.5;
    image.data.set([...colour(share), OPAQUE], 4 * k);
  });
  ink.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

/** {address, x, y} for Heat: cells [rows][columns], the first row nearest to the thrower. */
export function heatOf({values, columns, range, area}) {
  const rows = values.length / columns;
  const fromTop = Array.from({length: rows}, (_, row) =>
    values.slice((rows - 1 - row) * columns, (rows - row) * columns),
  ).flat();
  return {address: pictureOf(fromTop, columns, range), ...area};
}

/** The values on the ice. */
export const Heat = ({address, x, y}) =>
  html`<image
    class="heat"
    href=${address}
    x=${x[0]}
    y=${-y[1]}
    width=${x[1] - x[0]}
    height=${y[1] - y[0]}
    preserveAspectRatio="none"
  />`;

/** What the colours mean: name of the value, and its ends as text. */
export function Legend({name, low, high}) {
  const shades = Array.from({length: LEGEND_COLUMNS}, (_, k) => k);
  const address = pictureOf(shades, LEGEND_COLUMNS, [0, LEGEND_COLUMNS - 1]);
  return html`<figure class="legend">
    <figcaption>${name}</figcaption>
    <span>${low}</span><img src=${address} alt="" /><span>${high}</span>
  </figure>`;
}
