// How much better or worse one call is than another.

/** "−1.2 ± 0.3 %", or points where isScore; interval: of 95 %. What is rounded to nothing has no
 * sign. */
export function differenceText(mean, [low, high], isScore = false) {
  const scale = isScore ? 1 : 100;
  const digits = isScore ? 2 : 1;
  const size = Math.abs(scale * mean).toFixed(digits);
  const sign = Number(size) === 0 ? '' : mean < 0 ? '−' : '+';
  return `${sign}${size} ± ${((scale * (high - low)) / 2).toFixed(digits)}${isScore ? '' : ' %'}`;
}
