// Losses and shots of a review in words.
import {endName} from '../curling/names.js';

/** "−3.2 %" for a loss of 0.032, "+1.0 %" for a gain. */
export function lossWords(loss, digits = 1) {
  const size = Math.abs(100 * loss).toFixed(digits);
  if (Number(size) === 0) return loss === 0 ? `${size} %` : `<${(10 ** -digits).toFixed(digits)} %`;
  return `${loss > 0 ? '−' : '+'}${size} %`;
}

const LEAST = 0.05; // per cent that are told

/** A loss with half the width of its 95 % interval. */
export function lossWithError({win, win_interval: [low, high]}) {
  const half = (100 * (high - low)) / 2;
  return half >= LEAST ? `${lossWords(win)} ± ${half.toFixed(1)} %` : lossWords(win);
}

export const shotName = ({end, shot}, ends) => `${endName(end, ends)}, shot ${shot + 1}`;
