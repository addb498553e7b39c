const COLOURS = 6;
const DASHES = [[], [8, 4], [2, 3]]; // the same colours again, with other lines

/** A colour of frame/colours.css as the scheme of the system has it now. */
export const colour = name =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Of the k-th curve of a chart. */
export const curveVariable = k => `--c${k % COLOURS}`;
export const curveColour = k => colour(curveVariable(k));
export const curveDash = k => DASHES[Math.floor(k / COLOURS) % DASHES.length];
