// Throws on the board page: aimed by the user, or chosen by a player.
import {aim} from '../curling/aim.js';
import {afterThrow, isEndOver, sideToMove, slotToMove} from '../curling/board.js';
import {TEE_Y} from '../curling/dimensions.js';
import {noiseOf} from '../curling/hand.js';
import {thrownPoints, throwShot} from '../curling/throw.js';
import {isAbort} from '../lib/api.js';

export const CLOUD = 200; // throws of a cloud
const SEEDS = 2 ** 31;

const metres = (value, plus, minus) =>
  `${Math.abs(value).toFixed(2)} m ${value < 0 ? minus : plus}`;

/** "0.40 m right of the middle, 1.20 m behind the tee" */
const placeWords = ({x, y}) =>
  `${metres(x, 'right', 'left')} of the middle, ${metres(y - TEE_Y, 'behind', 'before')} the tee`;

async function findAim(session) {
  const own = ++session.aims;
  const {board, target, rotation, weight} = session.state;
  const {signal} = session;
  if (isEndOver(board)) return;
  session.set({shot: null, say: 'aiming …'});
  try {
    const shot = await aim(board, {target, rotation, weight: Number(weight)}, signal);
    const thrown = await throwShot(board, shot, {}, signal);
    if (own !== session.aims) return;
    session.marks.clear();
    session.marks.setAim(target);
    session.marks.addThrow(thrown);
    const say = thrown.foul
      ? 'This would break the free guard zone rule.'
      : `Aimed at ${placeWords(target)}.`;
    session.set({shot, say});
  } catch (error) {
    if (own === session.aims && !isAbort(error)) session.set({error, say: ''});
  }
}

/** Searches the shot to the target; cancels the search before. */
export function takeAim(session) {
  session.aiming = findAim(session);
  return session.aiming;
}

export function aimAt(session, changes) {
  session.set(changes);
  return takeAim(session);
}

/** The shot to throw: the one on the sheet, else the one to the target. */
async function chosenShot(session) {
  await session.aiming;
  if (!session.state.shot) await takeAim(session);
  return session.state.shot;
}

/** Marks where many throws of the shot end. */
export async function throwCloud(session) {
  const shot = await chosenShot(session);
  if (!shot) return;
  const {board, hand} = session.state;
  const many = {samples: CLOUD, seed: 1, ...noiseOf(hand)};
  const {samples} = await throwShot(board, shot, many, session.signal);
  const own = ({stones}) => stones[sideToMove(board)][slotToMove(board)];
  const ends = samples.map(own).filter(Boolean);
  session.marks.addSamples(ends);
  session.set({say: `${ends.length} of ${CLOUD} stay in play.`});
}

async function throwOnce({state: {board, hand}, signal}, shot, hasNoise) {
  if (!hasNoise) return throwShot(board, shot, {}, signal);
  const seed = Math.floor(Math.random() * SEEDS);
  const once = {samples: 1, seed, ...noiseOf(hand)};
  return (await throwShot(board, shot, once, signal)).samples[0];
}

/** Throws a shot and updates the position; resolves to false if the position changed meanwhile. */
export async function deliver(session, shot, hasNoise) {
  const {signal, marks, state} = session;
  const thrown = await throwOnce(session, shot, hasNoise);
  if (state.board !== session.state.board) {
    session.set({say: 'The position was changed meanwhile; throw again.'});
    return false;
  }
  marks.clear();
  await marks.animate(thrown.paths);
  if (signal.aborted) return false;
  const after = afterThrow(state.board, thrown);
  session.edit(after, 'The position has changed.');
  if (session.state.game) session.keepThrow(state.board, after);
  marks.addPath(thrownPoints(thrown), 'other');
  const say = thrown.foul
    ? 'That broke the free guard zone rule: the stone comes off, the others go back.'
    : '';
  session.set({say});
  return true;
}

/** Throws the chosen shot; resolves to whether it was thrown. */
export async function throwChosen(session) {
  if (isEndOver(session.state.board)) {
    session.set({say: 'The end is over.'});
    return false;
  }
  const shot = await chosenShot(session);
  return Boolean(shot) && deliver(session, shot, session.state.hasNoise);
}
