import {fixed} from '../lib/format.js';
import {html} from '../vendor/preact.js';
import {intervalOf, valueOf} from './cells.js';

const WIDTH = 100;
const EDGE = 2; // left free at both ends

/** {low, high} around the intervals of these cells; null if one has none. */
export function rangeOf(cells) {
  const intervals = cells.map(intervalOf);
  if (intervals.includes(null)) return null;
  return {
    low: Math.min(...intervals.map(({low}) => low)),
    high: Math.max(...intervals.map(({high}) => high)),
  };
}

/** The interval of a figure between the least and the greatest of its column. level: where neither
 * side is better. */
export function IntervalBar({cell, range, level}) {
  const {low, high} = intervalOf(cell);
  const span = range.high - range.low || 1;
  const x = at => EDGE + ((at - range.low) / span) * (WIDTH - 2 * EDGE);
  const thin = {'vector-effect': 'non-scaling-stroke'};
  const isLevelIn = range.low < level && range.high > level;
  const mark = html`<line class="level" x1=${x(level)} x2=${x(level)} y1="0" y2="12" ...${thin} />`;
  return html`<svg
    viewBox="0 0 ${WIDTH} 12"
    preserveAspectRatio="none"
    role="img"
    aria-label="from ${fixed(low, 2)} to ${fixed(high, 2)}"
  >
    ${isLevelIn && mark}
    <line class="whisker" x1=${x(low)} x2=${x(high)} y1="6" y2="6" ...${thin} />
    <rect class="dot" x=${x(valueOf(cell)) - 0.8} width="1.6" y="2" height="8" />
  </svg>`;
}
