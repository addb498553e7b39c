// Positions, shots and throws as the API spells them. Metres from the thrower's hack, +y down the
// sheet, +x right; a board has stones[team][slot] = {x, y} or null.
import {post} from './api.js';

export const TEE_Y = 38.405, HOG_Y = 32.004, BACK_Y = 40.234, HALF_WIDTH = 2.375, RADIUS = 0.145;
export const RINGS = [[1.829, 'blue'], [1.219, 'white'], [0.61, 'red'], [0.15, 'white']];
export const PROFILES = ['dc2', 'dc3', 'dc3-four-rock', 'dc4', 'dc4-no-tick', 'dc4-library'];
export const TEAMS = ['team0', 'team1'];
export const TEAM_NAMES = {team0: 'red', team1: 'yellow'};
export const other = team => team === 'team0' ? 'team1' : 'team0';

/** Digital Curling 2 has a measure of its own for the strength of a shot. */
export const speedUnit = profile => profile === 'dc2' ? '(strength of dc2)' : 'm/s';

/** Profile of the rules → the simulator that throws for it. */
const model = profile => profile === 'dc2' ? 'dc2' : profile.startsWith('dc3') ? 'dc3' : 'dc4';
const SPIN = 1.57079632679; // rad/s of an ordinary delivery (dc3, dc4)

/** Whose shot it is: the one without the hammer throws the even ones. */
export const sideToMove = board => board.shot % 2 === 1 ? board.hammer : other(board.hammer);

export function emptyBoard(profile = 'dc2') {
  return {profile, end: 0, shot: 0, hammer: 'team1', scores: {team0: [], team1: []},
    stones: {team0: Array(8).fill(null), team1: Array(8).fill(null)}};
}

/** The document that the API wants as `state`. */
export function stateOf(board) {
  const slots = team => board.stones[team].map(stone => stone && {position: {x: round(stone.x), y: round(stone.y)}, angle: 0});
  return {end: board.end, shot: board.shot, hammer: board.hammer, scores: board.scores, stones: {team0: slots('team0'), team1: slots('team1')}};
}
const round = value => Math.round(value * 1e4) / 1e4;

/** A board from what a Digital Curling server says: the whole update, its state, or its stones. */
export function boardFrom(document, profile) {
  const state = document.update?.state ?? document.state ?? document;
  if (!state.stones?.team0 || !state.stones?.team1)
    throw new Error('There is no “stones” with “team0” and “team1” in it.');
  const board = emptyBoard(document.profile ?? profile);
  for (const team of TEAMS)
    board.stones[team] = Array.from({length: 8}, (_, k) => {
      const at = state.stones[team][k]?.position;
      return at && Number.isFinite(at.x) && Number.isFinite(at.y) ? {x: at.x, y: at.y} : null;
    });
  return {...board, end: state.end ?? 0, shot: state.shot ?? 0, hammer: state.hammer ?? 'team1',
    scores: state.scores ?? board.scores};
}

// ---- throws ----

// In dc2 the frame is turned by 180 degrees about the tee, and stones are listed by their shot.
const turned = ({x, y}) => [2.375 - x, 43.285 - y];
const turnedBack = ([x, y]) => ({x: 2.375 - x, y: 43.285 - y});

/** A scene of POST /v1/simulations: a shot {velocity{x,y}, rotation, native?, angular_velocity?}. */
function scene(board, shot, more) {
  const name = model(board.profile), side = sideToMove(board), slot = Math.floor(board.shot / 2);
  const first = other(board.hammer), {x, y} = shot.velocity;
  if (name === 'dc2') {
    const before = Array.from({length: 16}, (_, k) => {
      const stone = k === board.shot ? null : board.stones[k % 2 ? board.hammer : first][k >> 1];
      return stone && turned(stone);
    });
    const thrown = shot.native ?? {vx: -x, vy: -y, spin: shot.rotation === 'cw' ? 1 : 0};
    return {model: name, n: board.shot, before, shot: thrown, ...more};
  }
  const before = TEAMS.flatMap(team => board.stones[team].map((stone, k) => team === side && k === slot ? null : stone));
  const spin = shot.angular_velocity !== undefined ? -shot.angular_velocity : shot.rotation === 'cw' ? -SPIN : SPIN;
  return {model: name, n: (side === 'team1' ? 8 : 0) + slot, before, hammer: board.hammer,
    shot: {speed: Math.hypot(x, y), angle: Math.atan2(y, x), angular_velocity: shot.omega ?? spin}, ...more};
}

function outcome(board, answer) {
  const dc2 = model(board.profile) === 'dc2', first = other(board.hammer);
  const stones = {team0: Array(8).fill(null), team1: Array(8).fill(null)}, paths = [];
  const place = k => dc2 ? [k % 2 ? board.hammer : first, k >> 1] : [TEAMS[k >> 3], k % 8];
  answer.after.forEach((at, k) => {
    const [team, slot] = place(k);
    stones[team][slot] = at && (dc2 ? turnedBack(at) : at);
  });
  (answer.trajectory ?? []).forEach((path, k) => {
    if (!path)
      return;
    const [team, slot] = place(k);
    paths.push({team, slot, points: path.map(([t, x, y]) => dc2 ? {t, ...turnedBack([x, y])} : {t, x, y})});
  });
  return {stones, paths, foul: answer.fgz_foul === true};
}

/** Throws the shot: {stones, paths, foul, samples: [the same]}. `more` are members of the scene. */
export async function throwShot(board, shot, more = {}, signal) {
  const interval = model(board.profile) === 'dc2' ? 0.02 : 0.25;
  const answer = await post('/v1/simulations', scene(board, shot, {trajectory: more.samples > 1 ? undefined : interval, ...more}), {signal});
  return {...outcome(board, answer), samples: (answer.samples ?? []).map(sample => outcome(board, sample))};
}

/** The board after a throw: an offence against the free guard zone takes the delivered stone off. */
export function afterThrow(board, thrown) {
  const side = sideToMove(board), slot = Math.floor(board.shot / 2);
  let stones = thrown.stones;
  if (thrown.foul) {
    stones = {team0: [...board.stones.team0], team1: [...board.stones.team1]};
    stones[side][slot] = null;
  }
  return {...board, stones, shot: board.shot + 1};
}

/** Looks for the shot that, on empty ice, stops at the target ("draw") or passes over it with the
 * given share of speed more. Newton's method with differences; each step is a few throws. */
export async function aim(board, target, rotation, weight, signal) {
  const ice = {...emptyBoard(board.profile), hammer: board.hammer, shot: board.shot};
  const dc2 = model(board.profile) === 'dc2', sign = rotation === 'cw' ? -1 : 1;
  let velocity = dc2 ? {x: sign * -0.99 * -1, y: 29.56} : {x: sign * 0.15, y: 2.39};
  const where = async v => {
    const interval = dc2 ? 0.02 : 0.25;
    const thrown = await throwShot(ice, {velocity: v, rotation}, {trajectory: interval}, signal);
    const points = thrown.paths[0].points;
    if (weight === 0)
      return points.at(-1);
    const k = points.findIndex(point => point.y >= target.y);
    if (k < 1)
      return points.at(-1);
    const a = points[k - 1], b = points[k], share = (target.y - a.y) / (b.y - a.y);
    return {x: a.x + share * (b.x - a.x), y: target.y};
  };
  const step = 0.005 * velocity.y;
  if (weight > 0) { // only the direction is free
    velocity.y *= 1 + weight;
    for (let k = 0; k < 4; k++) {
      const at = await where(velocity), side = await where({...velocity, x: velocity.x + step});
      const slope = (side.x - at.x) / step;
      if (Math.abs(target.x - at.x) < 0.003 || !slope)
        break;
      velocity = {...velocity, x: velocity.x + (target.x - at.x) / slope};
    }
    return {velocity, rotation};
  }
  for (let k = 0; k < 6; k++) {
    const [at, a, b] = await Promise.all([where(velocity), where({...velocity, x: velocity.x + step}), where({...velocity, y: velocity.y - step})]);
    const ex = target.x - at.x, ey = target.y - at.y;
    if (Math.hypot(ex, ey) < 0.005)
      break;
    const xx = (a.x - at.x) / step, yx = (a.y - at.y) / step, xy = (at.x - b.x) / step, yy = (at.y - b.y) / step;
    const det = xx * yy - xy * yx;
    if (!det)
      break;
    velocity = {x: velocity.x + (ex * yy - ey * xy) / det, y: velocity.y + (ey * xx - ex * yx) / det};
  }
  return {velocity, rotation};
}
