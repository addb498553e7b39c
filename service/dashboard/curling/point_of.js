/** Where on the ice an event of the pointer is, in metres. */
export function pointOf(event) {
  const element = event.currentTarget;
  const picture = element.ownerSVGElement ?? element;
  const at = new DOMPoint(event.clientX, event.clientY);
  const {x, y} = at.matrixTransform(picture.getScreenCTM().inverse());
  return {x, y: -y};
}
