// How the curves of a run are named, put together and ordered.

// Charts of several lines, and what comes first on the page.
const ORDER = ['win_rate', 'exploitability', 'reward', 'loss', 'entropy', 'tendency', 'ends_per_s', 'shots_per_s', 'share', 'memory', 'explore', 'eta', 'cpu_s'];
const TOGETHER = ['win_rate', 'exploitability', 'reward', 'loss', 'entropy', 'share', 'memory'];

const first = name => name.split('/')[0];

/** The curve that is the end of the interval of another one: "win_rate/x" has "win_rate_low/x". */
export const bandOf = (name, end) => name.replace(/^[^/]+/, part => `${part}_${end}`);

const isBand = (name, known) => /^[^/]+_(low|high)(\/|$)/.test(name) && known.has(name.replace(/^([^/]+)_(low|high)/, '$1'));

/** [[title, [names]] …] in the order of the page; ends of intervals are left to their curves. */
export function groupCurves(names, alone) {
  const known = new Set(names), groups = new Map();
  for (const name of names.filter(one => !isBand(one, known))) {
    const parts = name.split('/');
    const title = alone ? name : TOGETHER.includes(parts[0]) ? parts[0] : parts[0] === 'tendency' ? parts.slice(0, 2).join('/') : name;
    groups.set(title, [...groups.get(title) ?? [], name]);
  }
  const place = title => (ORDER.indexOf(first(title)) + ORDER.length + 1) % (ORDER.length + 1); // unknown ones at the end
  return [...groups].sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : a > b ? 1 : 0));
}

/** The value of a curve [[step, value, …] …] at a step, between its points on a line; null outside. */
export function interpolate(points, step) {
  let low = 0, high = points.length - 1;
  if (high < 0 || step < points[0][0] || step > points[high][0])
    return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= step)
      low = middle;
    else
      high = middle;
  }
  const [a, b] = [points[low], points[high]];
  if (typeof a[1] !== 'number' || typeof b[1] !== 'number')
    return null;
  return b[0] === a[0] ? a[1] : a[1] + (b[1] - a[1]) * (step - a[0]) / (b[0] - a[0]);
}
