// Finds the shot to a target on empty ice: Newton's method with finite differences.
import {loadProfile} from '../lib/profiles.js';
import {emptyBoard} from './board.js';
import {thrownPoints, throwShot} from './throw.js';

const STEP = 0.005; // of a difference, as a share of the speed
const CLOSE_M = 0.005;
const CLOSE_X_M = 0.003;
const TRIES_DRAW = 6;
const TRIES_HIT = 4;

/** Roughly a draw to the tee that turns counter-clockwise, for each law of motion. */
const DRAWS = {dc2: {x: 0.99, y: 29.56}, fcv1: {x: 0.15, y: 2.39}};

async function firstGuess(profile, rotation) {
  const {ice} = await loadProfile(profile);
  const {x, y} = DRAWS[ice.law];
  return {x: rotation === 'cw' ? -x : x, y};
}

/** The point where a path passes the distance of the target; its end if it stops short. */
function passes(points, y) {
  const k = points.findIndex(point => point.y >= y);
  if (k < 1) return points.at(-1);
  const [a, b] = [points[k - 1], points[k]];
  return {x: a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x), y};
}

/** A hit: finds the direction for a given speed. where(velocity): a promise of {x, y}. */
async function aimHit(where, target, velocity, step) {
  let aimed = velocity;
  for (let k = 0; k < TRIES_HIT; k++) {
    const at = await where(aimed);
    const beside = await where({...aimed, x: aimed.x + step});
    const slope = (beside.x - at.x) / step;
    if (Math.abs(target.x - at.x) < CLOSE_X_M || !slope) break;
    aimed = {...aimed, x: aimed.x + (target.x - at.x) / slope};
  }
  return aimed;
}

/** The change of velocity that moves the end of the path by (dx, dy), or null. at, right and short
 * are its ends as it is, with more x and with less y. */
function newtonStep({at, right, short}, {dx, dy}, step) {
  const xx = (right.x - at.x) / step;
  const yx = (right.y - at.y) / step;
  const xy = (at.x - short.x) / step;
  const yy = (at.y - short.y) / step;
  const det = xx * yy - xy * yx;
  return det ? {x: (dx * yy - dy * xy) / det, y: (dy * xx - dx * yx) / det} : null;
}

/** A draw: it stops at the target. */
async function aimDraw(where, target, velocity, step) {
  let aimed = velocity;
  for (let k = 0; k < TRIES_DRAW; k++) {
    const [at, right, short] = await Promise.all([
      where(aimed),
      where({...aimed, x: aimed.x + step}),
      where({...aimed, y: aimed.y - step}),
    ]);
    const missing = {dx: target.x - at.x, dy: target.y - at.y};
    if (Math.hypot(missing.dx, missing.dy) < CLOSE_M) break;
    const change = newtonStep({at, right, short}, missing, step);
    if (!change) break;
    aimed = {x: aimed.x + change.x, y: aimed.y + change.y};
  }
  return aimed;
}

/** The shot that stops at the target (weight 0), or passes over it faster by this share. */
export async function aim(board, {target, rotation, weight}, signal) {
  const ice = {...emptyBoard(board.profile), hammer: board.hammer, shot: board.shot};
  const guess = await firstGuess(board.profile, rotation);
  const step = STEP * guess.y;
  const path = async velocity =>
    thrownPoints(await throwShot(ice, {velocity, rotation}, {}, signal));
  const stop = async velocity => (await path(velocity)).at(-1);
  const passing = async velocity => passes(await path(velocity), target.y);
  const fast = {...guess, y: guess.y * (1 + weight)};
  const velocity = await (weight > 0
    ? aimHit(passing, target, fast, step)
    : aimDraw(stop, target, guess, step));
  return {velocity, rotation};
}
