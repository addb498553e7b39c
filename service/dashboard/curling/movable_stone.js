// A stone that the pointer drags and the keys move.
import {html, useState} from '../vendor/preact.js';
import {BACK_Y, HALF_WIDTH, HOG_Y, MARGIN, pointOf, STONE_RADIUS} from './dimensions.js';
import {Stone, stoneWords} from './stone.js';

const NEAR_M = 0.1; // a stone dropped this far beyond the side line still lands on the ice
const KEYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
const STEP_M = 0.01;
const STEP_SHIFT_M = 0.1;

const between = (value, low, high) => Math.min(Math.max(value, low), high);
const ontoIce = ({x, y}) => ({
  x: between(x, -HALF_WIDTH + STONE_RADIUS, HALF_WIDTH - STONE_RADIUS),
  y: between(y, HOG_Y + 0.01, BACK_Y + STONE_RADIUS - 0.001),
});
const isNearIce = ({x, y}) =>
  Math.abs(x) < HALF_WIDTH + NEAR_M && y > HOG_Y - MARGIN && y < BACK_Y + MARGIN;

/** The handlers of the pointer, and the place the stone is dragged to, or null. */
function useDrag(at, onMove) {
  const [held, setHeld] = useState(null); // {from: the grip within the stone, to: its place}
  const drop = () => {
    setHeld(null);
    if (held && held.to !== at) onMove(isNearIce(held.to) ? ontoIce(held.to) : null);
  };
  return {
    to: held?.to ?? null,
    onPointerDown: event => {
      const {x, y} = pointOf(event);
      setHeld({from: {x: x - at.x, y: y - at.y}, to: at});
      event.currentTarget.setPointerCapture(event.pointerId);
      event.currentTarget.focus();
      event.preventDefault();
    },
    onPointerMove: event => {
      if (!held) return;
      const {x, y} = pointOf(event);
      setHeld({...held, to: {x: x - held.from.x, y: y - held.from.y}});
    },
    onPointerUp: drop,
    onPointerCancel: () => setHeld(null),
    // A finger on it never moves the page; touch-action means nothing to a <g>.
    onTouchStart: event => event.preventDefault(),
  };
}

function moveByKey(event, at, onMove) {
  const step = event.shiftKey ? STEP_SHIFT_M : STEP_M;
  const way = KEYS[event.key];
  if (way) onMove(ontoIce({x: at.x + step * way[0], y: at.y + step * way[1]}));
  else if (event.key === 'Delete' || event.key === 'Backspace') onMove(null);
  else return;
  event.preventDefault();
}

/** onMove({x, y} or null) is called when it is dropped on the sheet or off it. */
export function MovableStone({team, slot, at, look, onMove}) {
  const {to, ...handlers} = useDrag(at, onMove);
  return html`<${Stone}
    team=${team}
    slot=${slot}
    at=${to ?? at}
    look="movable ${look}"
    aria-label="${stoneWords(team, slot, at)}; arrow keys move it, Delete takes it off"
    tabindex="0"
    role="button"
    onClick=${event => event.stopPropagation()}
    onKeyDown=${event => moveByKey(event, at, onMove)}
    ...${handlers}
  />`;
}
