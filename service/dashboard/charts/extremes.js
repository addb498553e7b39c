// Values far from all others: they would press the curves into a line, so the axis leaves them out,
// and marks say where they are.
const VALUES_LEAST = 20;
const SHARE = 0.02; // of the values on either side that may be called extreme
const FAR = 2; // widths of the middle from its edge
const MARGIN = 0.15; // of the middle, kept beyond it
const MARK_PX = 5;

const isFinite = y => typeof y === 'number' && Number.isFinite(y);

/** {low, high} of the axis; an end is null where nothing is far beyond it. columns: of values. */
export function limitsOf(columns) {
  const values = Float64Array.from(columns.flatMap(column => column.filter(isFinite))).sort();
  const at = share => values[Math.round(share * (values.length - 1))];
  if (values.length < VALUES_LEAST) return {low: null, high: null};
  const [low, high] = [at(SHARE), at(1 - SHARE)];
  const width = high - low;
  const isFar = beyond => width > 0 && beyond > FAR * width;
  return {
    low: isFar(low - values[0]) ? low - MARGIN * width : null,
    high: isFar(values.at(-1) - high) ? high + MARGIN * width : null,
  };
}

/** How many values are beyond the limits. */
export const countBeyond = (columns, {low, high}) =>
  columns
    .flat()
    .filter(y => isFinite(y) && ((low !== null && y < low) || (high !== null && y > high))).length;

function triangle(context, x, y, size) {
  context.beginPath();
  context.moveTo(x - Math.abs(size), y + size);
  context.lineTo(x + Math.abs(size), y + size);
  context.lineTo(x, y);
  context.fill();
}

/** Draws a mark at the edge for each value that is beyond it. u: the plot; colourOf(k): of a
 * curve. */
export function drawMarks(u, colourOf) {
  const {ctx: context, bbox} = u;
  const {min, max} = u.scales.y;
  const size = MARK_PX * devicePixelRatio;
  const [xs] = u.data;
  context.save();
  u.series.forEach((series, k) => {
    if (k === 0 || !series.show || series.class === 'interval') return;
    context.fillStyle = colourOf(k);
    u.data[k].forEach((y, at) => {
      if (!isFinite(y) || (y >= min && y <= max)) return;
      const x = u.valToPos(xs[at], 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      if (y > max) triangle(context, x, bbox.top, size);
      else triangle(context, x, bbox.top + bbox.height, -size);
    });
  });
  context.restore();
}
