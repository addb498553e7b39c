/** The number of the last point whose step is not after this one; the steps grow. */
function before(points, step) {
  let low = 0;
  let high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= step) low = middle;
    else high = middle;
  }
  return low;
}

/** The value of a curve [[step, value, …] …] at a step, between its points on a line; null outside
 * and where a neighbour is not a number. */
export function interpolate(points, step) {
  if (!points.length || step < points[0][0] || step > points.at(-1)[0]) return null;
  const k = before(points, step);
  const a = points[k];
  const b = points[Math.min(k + 1, points.length - 1)];
  if (typeof a[1] !== 'number' || typeof b[1] !== 'number') return null;
  if (b[0] === a[0]) return a[1];
  return a[1] + ((b[1] - a[1]) * (step - a[0])) / (b[0] - a[0]);
}
