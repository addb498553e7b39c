// The colours of the style sheets, for what is drawn on a canvas.
const COLOURS = 6;
const DASHES = [[], [8, 4], [2, 3]]; // the same colours again, with other lines

// A custom property keeps the text of its definition; only the colour of an element is computed.
const probe = document.body.appendChild(document.createElement('span'));
probe.hidden = true;

/** A colour of a style sheet as the scheme of the system has it now; opacity: in per cent. */
export function colour(name, opacity = 100) {
  probe.style.color = `color-mix(in srgb, var(${name}) ${opacity}%, transparent)`;
  return getComputedStyle(probe).color;
}

/** Of the k-th curve of a chart. */
export const curveVariable = k => `--c${k % COLOURS}`;
export const curveColour = (k, opacity) => colour(curveVariable(k), opacity);
export const curveDash = k => DASHES[Math.floor(k / COLOURS) % DASHES.length];
