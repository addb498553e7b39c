// Calls side by side: what each is worth, by the same throws.
import {post} from '../lib/api.js';
import {aboutPosition} from './mapping.js';

export const CALLS_MOST = 8;

/** Draws a call: its path, and where its throws end. */
export function showCall(session, k) {
  const {answer} = session.state.calls;
  const {path, ends, shot} = answer.calls[k];
  const points = list => list.map(([x, y]) => ({x, y}));
  session.aims++;
  session.marks.stop();
  session.marks.clear();
  session.marks.addPath(points(path));
  session.marks.addSamples(points(ends));
  session.set({shot, calls: {...session.state.calls, chosen: k}});
}

/** Values the calls of a list; the last one is shown. */
async function compare(session, list) {
  const {board} = session.state;
  if (!list.length) {
    session.marks.clear();
    session.set({calls: null});
    return;
  }
  const query = {...aboutPosition(session.state), calls: list};
  const answer = await post('/v1/calls', query, {signal: session.signal});
  if (board !== session.state.board) return;
  session.set({calls: {list, answer, chosen: list.length - 1}});
  showCall(session, list.length - 1);
}

/** Adds a call, {shot} or {aim, weight, rotation}; where there are too many, the last one goes. */
export async function addCall(session, call) {
  const list = session.state.calls?.list ?? [];
  await compare(session, [...list.slice(0, CALLS_MOST - 1), call]);
}

export async function removeCall(session, k) {
  await compare(session, session.state.calls.list.toSpliced(k, 1));
}
