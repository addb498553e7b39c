import {html} from '../vendor/preact.js';

const SIZE = 300;
const MARGIN = 34;
const RADIUS = 3;
const HIT_WEIGHT = 0.5; // from here on a throw is drawn as a hit

const MIDDLE = SIZE / 2;
const ROOM = MIDDLE - MARGIN;

/** The deviations of the plot: what all points lie within, at least three. */
function reachOf(points) {
  const far = Math.max(3, ...points.map(({x, y}) => Math.max(Math.abs(x), Math.abs(y))));
  return Math.ceil(far);
}

const Circle = ({deviations, reach}) => {
  const radius = (deviations / reach) * ROOM;
  return html`
    <circle class="deviation" cx=${MIDDLE} cy=${MIDDLE} r=${radius} />
    <text class="mark" x=${MIDDLE + 3} y=${MIDDLE - radius - 3}>${deviations} σ</text>
  `;
};

function Point({point, reach}) {
  const x = MIDDLE + (point.x / reach) * ROOM;
  const y = MIDDLE - (point.y / reach) * ROOM;
  return point.weight >= HIT_WEIGHT
    ? html`<rect class="hit" x=${x - RADIUS} y=${y - RADIUS} width="6" height="6" />`
    : html`<circle class="draw" cx=${x} cy=${y} r=${RADIUS} />`;
}

/** The errors of the throws in deviations of the hand: {across, along} are its two deviations. */
export function ErrorPlot({errors, across, along}) {
  const points = errors.map(error => ({
    x: error.across / across,
    y: error.along / along,
    weight: error.weight,
  }));
  const reach = reachOf(points);
  const hits = points.filter(({weight}) => weight >= HIT_WEIGHT).length;
  const far = points.filter(({x, y}) => Math.hypot(x, y) > 3).length;
  const said = `${points.length} throws, ${far} of them more than 3 deviations off`;
  return html`<figure class="error-plot">
    <svg viewBox="0 0 ${SIZE} ${SIZE}" role="img" aria-label="errors of the throws: ${said}">
      <line class="axis" x1=${MARGIN} x2=${SIZE - MARGIN} y1=${MIDDLE} y2=${MIDDLE} />
      <line class="axis" y1=${MARGIN} y2=${SIZE - MARGIN} x1=${MIDDLE} x2=${MIDDLE} />
      ${[1, 2, 3].map(deviations => html`<${Circle} deviations=${deviations} reach=${reach} />`)}
      ${points.map(point => html`<${Point} point=${point} reach=${reach} />`)}
      <text x=${MIDDLE} y="14">long</text>
      <text x=${MIDDLE} y=${SIZE - 6}>short</text>
      <text class="left" x="2" y=${MIDDLE - 5}>left</text>
      <text class="right" x=${SIZE - 2} y=${MIDDLE - 5}>right</text>
    </svg>
    <figcaption class="dim small">
      Errors of ${points.length} throws in deviations of this hand${
        hits > 0 ? '; squares were thrown with hit weight' : ''
      }. A normal hand keeps 99 of 100 within 3 σ.
    </figcaption>
  </figure>`;
}
