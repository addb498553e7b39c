// Shots as the API spells them: {velocity: {x, y}, rotation: "cw" or "ccw"}.
export const ROTATIONS = ['cw', 'ccw'];
export const ROTATION_NAMES = {cw: 'clockwise', ccw: 'counter-clockwise'};

/** Digital Curling 2 has a measure of its own for the strength of a shot. */
export const speedUnit = profile => (profile === 'dc2' ? '(strength of dc2)' : 'm/s');
