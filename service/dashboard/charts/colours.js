// The colours of the style sheets, for what is drawn on a canvas.
const COLOURS = 6;
const DASHES = [[], [8, 4], [2, 3]]; // the same colours again, with other lines

// The value of a custom property is its text; the colour of an element is resolved.
const probe = document.body.appendChild(document.createElement('span'));
probe.hidden = true;

/** A colour of a style sheet in the current light or dark scheme; opacity: in per cent. */
export function colour(name, opacity = 100) {
  probe.style.color = `color-mix(in srgb, var(${name}) ${opacity}%, transparent)`;
  return getComputedStyle(probe).color;
}

/** Of the k-th curve of a chart. */
export const curveVariable = k => `--c${k % COLOURS}`;
export const curveColour = (k, opacity) => colour(curveVariable(k), opacity);
export const curveDash = k => DASHES[Math.floor(k / COLOURS) % DASHES.length];
