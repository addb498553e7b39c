const LASTS_MS = 2200;

const timeOf = (points, k) => points[k].t ?? k;

/** Where a stone is at a time of its path. */
function pointAt(points, t) {
  if (points.length < 2) return points[0];
  let k = 1;
  while (k < points.length - 1 && timeOf(points, k) < t) k++;
  const [a, b] = [points[k - 1], points[k]];
  const [begin, end] = [timeOf(points, k - 1), timeOf(points, k)];
  const share = Math.min(Math.max((t - begin) / (end - begin || 1), 0), 1);
  return {x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y)};
}

/** Calls onFrame([{team, slot, at}]) for each frame of stones on their paths: {ended: a promise,
 * stop()}. Skips the animation for users who prefer reduced motion. */
export function animate(paths, onFrame) {
  if (!paths.length || matchMedia('(prefers-reduced-motion: reduce)').matches)
    return {ended: Promise.resolve(), stop: () => {}};
  const longest = Math.max(...paths.map(({points}) => timeOf(points, points.length - 1)));
  const begin = performance.now();
  let stop;
  const ended = new Promise(resolve => {
    let request;
    stop = () => {
      cancelAnimationFrame(request);
      resolve();
    };
    const frame = now => {
      const t = Math.min((now - begin) / LASTS_MS, 1) * longest;
      onFrame(paths.map(({team, slot, points}) => ({team, slot, at: pointAt(points, t)})));
      if (t < longest) request = requestAnimationFrame(frame);
      else stop();
    };
    request = requestAnimationFrame(frame);
  });
  return {ended, stop};
}
