import {html} from '../vendor/preact.js';

const WIDTH = 100;
const EDGE = 2; // left free at both ends

/** A rating with its interval between the lowest and the highest of a ladder. */
export function EloBar({item, range}) {
  const {elo, low, high} = item;
  const span = Math.max(range.high - range.low, 1);
  const x = at => EDGE + ((at - range.low) / span) * (WIDTH - 2 * EDGE);
  const fixed = {'vector-effect': 'non-scaling-stroke'};
  const zero = html`<line class="zero" x1=${x(0)} x2=${x(0)} y1="0" y2="12" ...${fixed} />`;
  return html`<svg
    viewBox="0 0 ${WIDTH} 12"
    preserveAspectRatio="none"
    role="img"
    aria-label="from ${low.toFixed(0)} to ${high.toFixed(0)}"
  >
    ${range.low < 0 && range.high > 0 && zero}
    <line class="bar" x1=${x(low)} x2=${x(high)} y1="6" y2="6" ...${fixed} />
    <rect class="dot" x=${x(elo) - 0.8} width="1.6" y="2" height="8" />
  </svg>`;
}
