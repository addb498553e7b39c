import {endName, TEAM_NAMES} from '../curling/names.js';
import {useStore} from '../lib/store.js';
import {Empty} from '../parts/notes.js';
import {html} from '../vendor/preact.js';
import {firstShots} from './record.js';

const FELL = 0.15; // falls of the thrower's win probability from here on are marked
const HEIGHT = 60;
const SCALE = [1, 0.5, 0];
const FIXED = {'vector-effect': 'non-scaling-stroke'};

const y = value => (1 - value) * HEIGHT;

/** Where the value is known: [{k, value, side}]. */
const knownPoints = shots =>
  shots.map(({value, side}, k) => ({k, value, side})).filter(({value}) => value !== null);

/** The shots that cost their thrower much: [{before, after, cost}], two points each. */
function fallsOf(points) {
  const costOf = (before, after) =>
    before.side === 'team0' ? before.value - after.value : after.value - before.value;
  return points
    .slice(1)
    .map((after, k) => ({before: points[k], after, cost: costOf(points[k], after)}))
    .filter(({cost}) => cost >= FELL);
}

const Upright = ({at, look}) =>
  html`<line class=${look} x1=${at} x2=${at} y1="0" y2=${HEIGHT} ...${FIXED} />`;

function Curve({points, falls, begins, width, at}) {
  const level = value =>
    html`<line class="grid" x1="0" x2=${width} y1=${y(value)} y2=${y(value)} ...${FIXED} />`;
  const fall = ({before, after}) => html`<line
    class="blunder"
    x1=${before.k}
    x2=${after.k}
    y1=${y(before.value)}
    y2=${y(after.value)}
    ...${FIXED}
  />`;
  const line = points.map(({k, value}) => `${k},${y(value)}`).join(' ');
  return html`<svg
    class="values"
    viewBox="0 0 ${width} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="win probability of red over the game, ${falls.length} large falls"
  >
    ${SCALE.map(level)}
    <polyline points=${line} ...${FIXED} />
    ${falls.map(fall)}
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

function FallButtons({falls, shots, ends, onGo}) {
  if (!falls.length) return html`<p class="dim small">No shot cost 15 points or more.</p>`;
  const button = ({before, cost}) => {
    const {end, shot} = shots[before.k];
    const side = TEAM_NAMES[before.side];
    return html`<button class="small" onClick=${() => onGo(before.k)}>
      ${`${endName(end, ends)}, shot ${shot + 1}: ${side} −${Math.round(100 * cost)} %`}
    </button>`;
  };
  return html`<div class="buttons">${falls.map(button)}</div>`;
}

/** The expectation of the players over all shots; ends: of the game, without extra ends. */
export function ValueGraph({shots, ends, replay}) {
  const {at} = useStore(replay);
  const points = knownPoints(shots);
  if (points.length < 2)
    return html`<${Empty}>The players of this game do not say what they expect.<//>`;
  const falls = fallsOf(points);
  const begins = firstShots(shots);
  const width = Math.max(shots.length, 2);
  return html`<div>
    <div class="value-graph">
      <div class="scale">${SCALE.map(value => html`<span>${100 * value} %</span>`)}</div>
      <${Curve} ...${{points, falls, begins, width, at}} />
      <div></div>
      <${Ends} shots=${shots} begins=${begins} />
    </div>
    <p class="dim small">End by end, as the players expect it; shots that cost much are red.</p>
    <${FallButtons} ...${{falls, shots, ends}} onGo=${k => replay.go(k)} />
  </div>`;
}
