import {percent} from '../lib/format.js';
import {html} from '../vendor/preact.js';

const WIDTH = 220; // about the pixels that it gets: letters stay legible
const HEIGHT = 90;
const LEFT = 40;
const HEAD = 8;
const FOOT = 34;
const LEAST_RANGE = 0.04; // of the axis, in the chance of winning
const SIDES = {line: ['left', 'right'], weight: ['short', 'long']};
const NAMES = {line: 'Line', weight: 'Weight'};

/** The ends of the common axis. */
function rangeOf(all) {
  const low = Math.min(...all);
  const high = Math.max(...all);
  const more = Math.max(LEAST_RANGE - (high - low), 0) / 2;
  return [Math.max(low - more, 0), Math.min(high + more, 1)];
}

function Curve({name, values, range: [low, high], mean}) {
  const x = k => LEFT + (k / (values.length - 1)) * (WIDTH - 2 * LEFT);
  const y = value => HEAD + (1 - (value - low) / (high - low)) * HEIGHT;
  const base = HEAD + HEIGHT;
  const points = values.map((value, k) => `${x(k)},${y(value)}`).join(' ');
  const said = values.map(value => percent(value, 0)).join(', ');
  return html`<svg
    class="error-curve"
    viewBox="0 0 ${WIDTH} ${base + FOOT}"
    role="img"
    aria-label="${NAMES[name]}, from ${SIDES[name].join(' to ')}: wins ${said}"
  >
    <line class="axis" x1=${LEFT} x2=${WIDTH - LEFT} y1=${base} y2=${base} />
    <line class="mean" x1=${LEFT} x2=${WIDTH - LEFT} y1=${y(mean)} y2=${y(mean)} />
    <polyline points=${points} />
    <text class="side" x=${LEFT - 4} y=${HEAD + 8}>${percent(high, 0)}</text>
    <text class="side" x=${LEFT - 4} y=${base}>${percent(low, 0)}</text>
    <text x=${LEFT} y=${base + 14}>2 σ ${SIDES[name][0]}</text>
    <text x=${WIDTH / 2} y=${base + 14}>as aimed</text>
    <text x=${WIDTH - LEFT} y=${base + 14}>2 σ ${SIDES[name][1]}</text>
    <text class="title" x=${WIDTH / 2} y=${base + 30}>${NAMES[name]}</text>
  </svg>`;
}

/** How often the call wins where its line, or its weight, is off: byError {line, weight}. */
export function ErrorCurves({byError, mean}) {
  const range = rangeOf([...byError.line, ...byError.weight, mean]);
  const curve = name =>
    html`<${Curve} name=${name} values=${byError[name]} range=${range} mean=${mean} />`;
  return html`<div class="error-curves">${['line', 'weight'].map(curve)}</div>`;
}
