import {useStore} from '../lib/store.js';
import {Empty} from '../parts/notes.js';
import {html} from '../vendor/preact.js';
import {firstShots} from './record.js';

const HEIGHT = 60;
const SCALE = [1, 0.5, 0];
const FIXED = {'vector-effect': 'non-scaling-stroke'};

const y = value => (1 - value) * HEIGHT;

/** Where the value is known: [{k, value, side}]. */
const knownPoints = shots =>
  shots.map(({value, side}, k) => ({k, value, side})).filter(({value}) => value !== null);

const Upright = ({at, look}) =>
  html`<line class=${look} x1=${at} x2=${at} y1="0" y2=${HEIGHT} ...${FIXED} />`;

/** The numbers of the marked shots, each a button above its place. */
function Numbers({marked, width, onGo}) {
  const button = (k, n) => html`<button
    style=${{left: `${(100 * k) / width}%`}}
    aria-label="go to number ${n + 1}"
    onClick=${() => onGo(k)}
  >
    ${n + 1}
  </button>`;
  return html`<div></div>
    <div class="numbers">${marked.map(button)}</div>`;
}

function Curve({points, begins, width, at, onGo}) {
  const level = value =>
    html`<line class="grid" x1="0" x2=${width} y1=${y(value)} y2=${y(value)} ...${FIXED} />`;
  const go = ({currentTarget, clientX}) => {
    const {left, width: pixels} = currentTarget.getBoundingClientRect();
    onGo(Math.min(Math.round(((clientX - left) / pixels) * width), width - 1));
  };
  const line = points.map(({k, value}) => `${k},${y(value)}`).join(' ');
  return html`<svg
    class="values"
    viewBox="0 0 ${width} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="win probability of red over the game"
    onClick=${go}
  >
    ${SCALE.map(level)}
    <polyline points=${line} ...${FIXED} />
    ${begins.slice(1).map(k => html`<${Upright} at=${k} look="grid" />`)}
    <${Upright} at=${at} look="now" />
  </svg>`;
}

/** Below the curve: the numbers of the ends, as wide as they are long. */
function Ends({shots, begins}) {
  const end = (k, n) => {
    const flex = `${(begins[n + 1] ?? shots.length) - k} 0 0`;
    return html`<span style=${{flex}}>${shots[k].end + 1}</span>`;
  };
  return html`<div class="ends">${begins.map(end)}</div>`;
}

/** The value for red over all shots; a click shows a shot. marked: numbers of shots to name;
 * children: a sentence about the values. */
export function ValueGraph({shots, replay, marked = [], children}) {
  const {at} = useStore(replay);
  const points = knownPoints(shots);
  if (points.length < 2)
    return html`<${Empty}>The players of this game do not say what they expect.<//>`;
  const begins = firstShots(shots);
  const width = Math.max(shots.length, 2);
  return html`<div>
    <div class="value-graph">
      ${marked.length > 0 && html`<${Numbers} ...${{marked, width}} onGo=${k => replay.go(k)} />`}
      <div class="scale">${SCALE.map(value => html`<span>${100 * value} %</span>`)}</div>
      <${Curve} ...${{points, begins, width, at}} onGo=${k => replay.go(k)} />
      <div></div>
      <${Ends} shots=${shots} begins=${begins} />
    </div>
    <p class="dim small">${children}</p>
  </div>`;
}
