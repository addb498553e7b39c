// Asking a player about the position.
import {sideToMove, slotToMove, stateOf} from '../curling/board.js';
import {post} from '../lib/api.js';

const CANDIDATES = 8;

const pathOf = candidate => candidate.path.map(([x, y]) => ({x, y}));

/** Shows the k-th candidate of the answer and makes it the shot to throw. */
export function choose(session, k) {
  const {answer, board} = session.state;
  const candidate = answer.candidates[k];
  session.aims++;
  session.set({chosen: k, shot: candidate?.shot ?? answer.shot});
  session.marks.stop();
  session.marks.clear();
  answer.candidates.forEach((one, at) => at !== k && session.marks.addPath(pathOf(one), 'other'));
  if (!candidate) return;
  const points = pathOf(candidate);
  session.marks.addPath(points);
  const path = {team: sideToMove(board), slot: slotToMove(board), points};
  session.marks.animate([path]).then(() => session.marks.settle());
}

function request({board, player, seconds}) {
  const named = player.trim() ? {player: player.trim()} : {};
  return {
    profile: board.profile,
    state: stateOf(board),
    limits: {time_ms: Math.round(1000 * seconds)},
    top_k: CANDIDATES,
    ...named,
  };
}

/** Asks the player for the best shot; resolves to whether there is an answer. */
export async function ask(session) {
  const {board, player, seconds} = session.state;
  session.set({say: `${player || 'The default player'} thinks for ${seconds} s …`, answer: null});
  let answer;
  try {
    answer = await post('/v1/shots', request(session.state), {signal: session.signal});
  } finally {
    session.set({say: ''});
  }
  if (board !== session.state.board) {
    session.set({say: 'The position was changed meanwhile; ask again.'});
    return false;
  }
  session.set({answer});
  choose(session, 0);
  return true;
}
