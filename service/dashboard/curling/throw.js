// Throws of the simulator, POST /v1/simulations.
import {post} from '../lib/api.js';
import {loadProfile} from '../lib/profiles.js';
import {sideToMove, slotToMove, stateOf} from './board.js';
import {TEAMS} from './names.js';

/** The seconds between the points of a path, for each law of motion: stones of dc2 are ten times as
 * fast. */
const PATH_INTERVAL_S = {dc2: 0.02, fcv1: 0.25};

/** {stones, paths: [{team, slot, isThrown, points: [{t, x, y}]}], foul} from an answer or a sample
 * of a shot on this board. Paths come by team and slot: any of them may be the thrown stone's. */
function outcome(board, {stones, trajectory, free_guard_zone_foul: foul}) {
  const places = team => stones[team].map(stone => stone && stone.position);
  const points = path => path.map(([t, x, y]) => ({t, x, y}));
  const isThrown = (team, slot) => team === sideToMove(board) && slot === slotToMove(board);
  const paths = TEAMS.flatMap(team =>
    (trajectory?.[team] ?? []).map(
      (path, slot) => path && {team, slot, isThrown: isThrown(team, slot), points: points(path)},
    ),
  );
  return {
    stones: {team0: places('team0'), team1: places('team1')},
    paths: paths.filter(Boolean),
    foul,
  };
}

/** The points of the thrown stone's path; none if it was not thrown. */
export const thrownPoints = ({paths}) => paths.find(({isThrown}) => isThrown)?.points ?? [];

/** Throws a shot: {stones, paths, foul, samples: [the same]}. `more`: members of the request. The
 * score of earlier ends does not matter here. */
export async function throwShot(board, shot, more, signal) {
  const {ice} = await loadProfile(board.profile);
  const request = {
    profile: board.profile,
    state: stateOf({...board, end: 0, scores: {team0: [], team1: []}}),
    shot,
    trajectory: more.samples > 1 ? undefined : PATH_INTERVAL_S[ice.law],
    ...more,
  };
  const answer = await post('/v1/simulations', request, {signal});
  const samples = (answer.samples ?? []).map(sample => outcome(board, sample));
  return {...outcome(board, answer), samples};
}
