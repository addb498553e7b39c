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

/** Whose shot it is: the one without the hammer throws the even ones. */
export const sideToMove = board => board.shot % 2 === 1 ? board.hammer : other(board.hammer);

export function emptyBoard(profile = 'dc2') {
  return {profile, end: 0, shot: 0, hammer: 'team1', scores: {team0: [], team1: []},
    stones: {team0: Array(8).fill(null), team1: Array(8).fill(null)}};
}

/** The document that the API wants as `state`. */
export function stateOf(board) {
  const slots = team => board.stones[team].map(stone => stone && {position: stone});
  return {end: board.end, shot: board.shot, hammer: board.hammer, scores: board.scores, stones: {team0: slots('team0'), team1: slots('team1')}};
}

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

function outcome({stones, trajectory, free_guard_zone_foul: foul}) {
  const places = team => stones[team].map(stone => stone && stone.position);
  const paths = TEAMS.flatMap(team => (trajectory?.[team] ?? []).map((path, slot) => path && {team, slot, points: path.map(([t, x, y]) => ({t, x, y}))}));
  return {stones: {team0: places('team0'), team1: places('team1')}, paths: paths.filter(Boolean), foul};
}

/** Throws the shot {velocity{x,y}, rotation, …}: {stones, paths, foul, samples: [the same]}. `more` are
 * members of POST /v1/simulations. The ice knows nothing of the ends before this one. */
export async function throwShot(board, shot, more = {}, signal) {
  const state = stateOf({...board, end: 0, scores: {team0: [], team1: []}});
  const interval = board.profile === 'dc2' ? 0.02 : 0.25;
  const answer = await post('/v1/simulations', {profile: board.profile, state, shot, trajectory: more.samples > 1 ? undefined : interval, ...more}, {signal});
  return {...outcome(answer), samples: (answer.samples ?? []).map(outcome)};
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
  const dc2 = board.profile === 'dc2', sign = rotation === 'cw' ? -1 : 1;
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
