import {withMinus} from '../lib/format.js';
import {html} from '../vendor/preact.js';

const WIDTH = 36; // of a bar with its margins
const MARGIN = 4;
const HEIGHT = 90;
const HEAD = 16; // above the bars, for the highest share
const FOOT = 22; // below, for the scores
const SCORES = 3; // from -3 to 3 are always shown
const SHOWN = 0.002;
const TOLD = 0.005;

const signed = score => (score > 0 ? `+${score}` : withMinus(`${score}`));
const percent = share => `${Math.round(100 * share)} %`;

function Bar({score, share, x, height}) {
  const top = HEAD + HEIGHT - height;
  return html`
    <rect
      class=${score < 0 ? 'minus' : ''}
      x=${x + MARGIN}
      y=${top}
      width=${WIDTH - 2 * MARGIN}
      height=${height}
    />
    <text x=${x + WIDTH / 2} y=${top - MARGIN}>${share >= TOLD ? percent(share) : ''}</text>
    <text x=${x + WIDTH / 2} y=${HEAD + HEIGHT + HEAD}>${signed(score)}</text>
  `;
}

const wordsOf = (scores, shares) =>
  scores
    .filter(score => shares[score] >= TOLD)
    .map(score => `${score}: ${percent(shares[score])}`)
    .join(', ');

/** Bars of the probability of each score; shares: {"-1": 0.2, …}. */
export function Distribution({shares}) {
  const scores = Object.keys(shares)
    .map(Number)
    .sort((a, b) => a - b);
  const likely = scores.filter(score => shares[score] > SHOWN);
  const low = Math.min(-SCORES, ...likely);
  const high = Math.max(SCORES, ...likely);
  const most = Math.max(...Object.values(shares), 0.01);
  const bar = (_, k) => {
    const share = shares[low + k] ?? 0;
    const height = (share / most) * HEIGHT;
    return html`<${Bar} score=${low + k} share=${share} x=${k * WIDTH} height=${height} />`;
  };
  const count = high - low + 1;
  return html`<svg
    class="distribution"
    viewBox="0 0 ${count * WIDTH} ${HEAD + HEIGHT + FOOT}"
    role="img"
    aria-label="probability of each score: ${wordsOf(scores, shares)}"
  >
    ${Array.from({length: count}, bar)}
  </svg>`;
}
