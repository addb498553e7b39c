// Asking a player about the position: its answer grows on the board while it thinks.
import {settingOf, sideToMove, slotToMove, stateOf} from '../curling/board.js';
import {noiseOf} from '../curling/hand.js';
import {TEAM_NAMES} from '../curling/names.js';
import {shotText} from '../curling/shot_name.js';
import {isAbort, post, remove} from '../lib/api.js';
import {listen} from '../lib/events.js';
import {percent} from '../lib/format.js';

const CANDIDATES = 12;
const REPORT_MS = 250; // between two partial answers
const WAIT_MS = 30000; // for a free process, beside the time to think

const pathOf = candidate => candidate.path.map(([x, y]) => ({x, y}));

/** Draws the paths of the candidates, the k-th one in front. */
function drawPaths(session, {candidates}, k) {
  session.marks.stop();
  session.marks.clear();
  candidates.forEach((one, at) => at !== k && session.marks.addPath(pathOf(one), 'other'));
  if (candidates[k]) session.marks.addPath(pathOf(candidates[k]));
}

/** Shows the k-th candidate of the answer and makes it the shot to throw. */
export function choose(session, k) {
  const {answer, board} = session.state;
  const candidate = answer.candidates[k];
  session.aims++;
  session.set({chosen: k, shot: candidate?.shot ?? answer.shot});
  drawPaths(session, answer, k);
  if (!candidate) return;
  const path = {team: sideToMove(board), slot: slotToMove(board), points: pathOf(candidate)};
  session.marks.animate([path]).then(() => session.marks.settle());
}

/** The throws of the side that is not to move, as the service takes them. */
function historyOf({board, throws}) {
  const seen = throws.filter(one => one.side !== sideToMove(board));
  return seen.length ? {history: seen.map(({before, after}) => ({before, after}))} : {};
}

function request(state) {
  const {board, player, seconds, hand} = state;
  const named = player.trim() ? {player: player.trim()} : {};
  const thinkMs = Math.round(1000 * seconds);
  return {
    profile: board.profile,
    state: stateOf(board),
    setting: settingOf(board),
    limits: {time_ms: thinkMs},
    timeout_ms: thinkMs + WAIT_MS,
    report_interval_ms: REPORT_MS,
    top_k: CANDIDATES,
    ...historyOf(state),
    ...named,
    ...noiseOf(hand),
  };
}

/** An answer in a line above the ice, too short to move it. */
export function answerWords({value, side, candidates: [best]}) {
  const parts = [
    best && shotText(best),
    typeof value?.win_probability === 'number' &&
      `${TEAM_NAMES[side]} wins ${percent(value.win_probability)}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** Shows what the player thinks so far. */
function showPartial(session, answer) {
  session.set({answer, chosen: 0, shot: null, say: `So far: ${answerWords(answer)}`});
  drawPaths(session, answer, 0);
}

/** The final answer of the query `id`; onPartial(answer) gets those before it. */
export async function hear(session, id, onPartial) {
  let last = null;
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, session.signal]);
  await listen(
    `/v1/shots/${id}/events`,
    (name, data) => {
      if (name === 'partial') onPartial(data);
      const shot = name === 'partial' ? {state: 'running'} : data;
      if (shot.state === 'running') return;
      last = shot;
      end.abort();
    },
    signal,
  );
  session.signal.throwIfAborted();
  if (!last) throw Object.assign(new Error('The answer is gone; ask again.'), {title: 'No answer'});
  if (last.error) throw last.error;
  return last.answer;
}

/** Ends the thinking: the player answers with what it has. */
export async function stopThinking(session) {
  const {thinking} = session.state;
  if (!thinking) return;
  session.set({thinking: {...thinking, isStopped: true}});
  try {
    await remove(`/v1/shots/${thinking.id}`);
  } catch (error) {
    if (error.status !== 404 && !isAbort(error)) session.set({error});
  }
}

/** Sends the query and hears the answer; nobody waits for it once the position has changed or the
 * page is left. */
async function think(session, isNow) {
  const {signal} = session;
  const headers = {Prefer: 'respond-async'};
  const {id} = await post('/v1/shots', request(session.state), {signal, headers});
  session.set({thinking: {...session.state.thinking, id}});
  const unwatch = session.watch(() => {
    if (!isNow() && !session.state.thinking?.isStopped) stopThinking(session);
  });
  const forget = () => remove(`/v1/shots/${id}`).catch(() => {});
  signal.addEventListener('abort', forget);
  try {
    return await hear(session, id, answer => isNow() && showPartial(session, answer));
  } finally {
    unwatch();
    signal.removeEventListener('abort', forget);
  }
}

/** Asks the player for the best shot; resolves to whether there is an answer. */
export async function ask(session) {
  const {board, player, seconds} = session.state;
  const isNow = () => board === session.state.board && !session.signal.aborted;
  session.set({say: `${player || 'The default player'} thinks …`, answer: null});
  session.set({thinking: {id: null, begin: performance.now(), seconds: Number(seconds)}});
  let answer;
  try {
    answer = await think(session, isNow);
  } finally {
    session.set({say: '', thinking: null});
  }
  if (!isNow()) {
    session.set({say: 'The position was changed meanwhile; ask again.'});
    return false;
  }
  session.set({answer, say: answerWords(answer)});
  choose(session, 0);
  return true;
}
