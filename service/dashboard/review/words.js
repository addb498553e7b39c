// Losses and shots of a review in words: as chances of winning, or as points.
import {endName} from '../curling/names.js';
import {DASH, fixed, percent} from '../lib/format.js';

/** What figures can be given in; `win` and `points` are members of values and losses. */
export const MEASURES = {win: 'chances of winning', points: 'points'};

/** The size of a loss without its sign. */
const sizeOf = (loss, measure, digits) =>
  measure === 'points' ? Math.abs(loss).toFixed(2) : Math.abs(100 * loss).toFixed(digits);

const unitOf = measure => (measure === 'points' ? '' : ' %');

/** "−3.2 %" for a loss of 0.032, "+1.0 %" for a gain; of points "−0.41". */
export function lossWords(loss, measure = 'win', digits = 1) {
  if (typeof loss !== 'number') return DASH;
  const size = sizeOf(loss, measure, digits);
  const unit = unitOf(measure);
  if (Number(size) > 0) return `${loss > 0 ? '−' : '+'}${size}${unit}`;
  const least = 10 ** -(measure === 'points' ? 2 : digits);
  return loss === 0 ? `${size}${unit}` : `<${least}${unit}`;
}

/** A loss with half the width of its 95 % interval. */
export function lossWithError(loss, measure) {
  const [low, high] = loss[`${measure}_interval`];
  const half = sizeOf((high - low) / 2, measure, 1);
  const words = lossWords(loss[measure], measure);
  return Number(half) > 0 ? `${words} ± ${half}${unitOf(measure)}` : words;
}

/** A value: "63.1 %", or points. */
export const valueWords = (value, measure) =>
  measure === 'points' ? fixed(value, 2) : percent(value);

export const shotName = ({end, shot}, ends) => `${endName(end, ends)}, shot ${shot + 1}`;
