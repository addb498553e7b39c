// The sheet in metres from the thrower's hack: +y down the sheet, +x to the right.
export const TEE_Y = 38.405;
export const HOG_Y = 32.004;
export const BACK_Y = 40.234;
export const HALF_WIDTH = 2.375;
export const STONE_RADIUS = 0.145;
export const RINGS = [
  {radius: 1.829, name: 'blue'},
  {radius: 1.219, name: 'white'},
  {radius: 0.61, name: 'red'},
  {radius: 0.15, name: 'white'},
];
export const MARGIN = 0.6; // of the picture, beyond the hog line and the back line

/** Where on the ice an event of the pointer is. */
export function pointOf(event) {
  const element = event.currentTarget;
  const picture = element.ownerSVGElement ?? element;
  const at = new DOMPoint(event.clientX, event.clientY);
  const {x, y} = at.matrixTransform(picture.getScreenCTM().inverse());
  return {x, y: -y};
}
