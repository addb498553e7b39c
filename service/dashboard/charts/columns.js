const isFinite = y => typeof y === 'number' && Number.isFinite(y);

/** Curves [[x, y] …] as uPlot wants them, on one axis: {columns: [[x …], [y …] …], skipped}. In a
 * column `undefined` is another curve's x (the line goes on) and `null` a gap: a value that is not
 * finite, or not positive where the axis is logarithmic. */
export function columnsOf(curves, isLog) {
  const xs = [...new Set(curves.flatMap(curve => curve.map(([x]) => x)))].sort((a, b) => a - b);
  const row = new Map(xs.map((x, k) => [x, k]));
  let skipped = 0;
  const column = curve => {
    const ys = Array(xs.length);
    for (const [x, y] of curve) {
      const isGood = isFinite(y) && !(isLog && y <= 0);
      if (!isGood) skipped++;
      ys[row.get(x)] = isGood ? y : null;
    }
    return ys;
  };
  return {columns: [xs, ...curves.map(column)], skipped};
}
