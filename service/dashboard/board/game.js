// An end against the machine.
import {afterEnd, emptyBoard, isEndOver, newEnd, sideToMove, stateOf} from '../curling/board.js';
import {TEAM_NAMES, TEAMS} from '../curling/names.js';
import {post} from '../lib/api.js';
import {ask} from './asking.js';
import {deliver, throwChosen} from './throwing.js';

function resultWords(score, mine) {
  const winner = TEAMS.find(team => score[team]);
  if (!winner) return 'The end is over: blanked.';
  const scorer = winner === mine ? 'you score' : 'the machine scores';
  return `The end is over: ${scorer} ${score[winner]}.`;
}

/** Scores the end after its last stone and sets up the next one. */
async function countEnd(session) {
  const {board, game} = session.state;
  if (!game || !isEndOver(board)) return;
  const {profile, hammer} = board;
  const {stones} = stateOf(board);
  const {signal} = session;
  const score = await post('/v1/positions/score', {profile, stones, hammer}, {signal});
  const gameLine = resultWords(score, game.mine);
  session.set({board: afterEnd(board, score), game: null, gameLine});
}

async function machineThrows(session) {
  session.set({gameLine: 'The machine thinks …'});
  if (!(await ask(session))) {
    const gameLine = 'The game was stopped, because the position was changed.';
    session.set({game: null, gameLine});
    return;
  }
  await deliver(session, session.state.answer.shot, true);
  await countEnd(session);
}

/** The machine throws until it is the user's turn. */
async function machineMoves(session) {
  const isItsTurn = ({game, board}) => game && !isEndOver(board) && sideToMove(board) !== game.mine;
  while (isItsTurn(session.state) && !session.signal.aborted) await machineThrows(session);
  const {game, board} = session.state;
  if (!game || isEndOver(board)) return;
  const you = TEAM_NAMES[game.mine];
  const gameLine = `Your shot, ${you}: aim and throw, or ask what the machine would do.`;
  session.set({gameLine});
}

/** Starts a new end with the score so far. */
export async function startGame(session, mine) {
  const {profile, ends, end, hammer, scores} = session.state.board;
  session.set({game: {mine}});
  session.edit(newEnd({...emptyBoard(profile), ends, end, hammer, scores}));
  await machineMoves(session);
}

export function stopGame(session) {
  session.set({game: null, gameLine: 'No game.'});
}

/** The user throws; in a game the machine answers. */
export async function throwNow(session) {
  if (!(await throwChosen(session))) return;
  await countEnd(session);
  await machineMoves(session);
}
