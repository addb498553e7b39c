// Smoothed curves: a mean that forgets, without a bias towards the first value.

/** Points [[x, y] …] with y replaced by its mean; weight: of the past, from 0, nothing, to below 1.
 * Gaps and values that are not finite stay and count for nothing. */
export function smoothed(points, weight) {
  let sum = 0;
  let left = 1; // of the weights, for what came before the first value
  return points.map(([x, y]) => {
    if (typeof y !== 'number' || !Number.isFinite(y)) return [x, y];
    sum = weight * sum + (1 - weight) * y;
    left *= weight;
    return [x, sum / (1 - left)];
  });
}
