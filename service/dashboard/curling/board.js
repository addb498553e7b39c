// A position: {profile, ends, end, shot, hammer, scores, stones}; ends: of the game, without extra
// ends; stones[team][slot] is {x, y} or null.
// A board never changes: these functions return new ones.
import {STONE_RADIUS, TEE_Y} from './dimensions.js';
import {knownProfile} from '../lib/profiles.js';
import {other, TEAMS} from './names.js';

export const SLOTS = 8; // of a team
const FOUR = {shots: 16, preplaced: 0}; // rules until the profiles are loaded
// The ends of a game if nothing says otherwise. The scores of extra ends are not in a state.
export const GAME_ENDS = 8;
const PARK_X = {team0: -2.1, team1: 2.1}; // beside the house
const PARK_STEP = 0.35;

export function emptyBoard(profile = 'dc2') {
  return {
    profile,
    ends: GAME_ENDS,
    end: 0,
    shot: 0,
    hammer: 'team1',
    scores: {team0: [], team1: []},
    stones: {team0: Array(SLOTS).fill(null), team1: Array(SLOTS).fill(null)},
  };
}

const rulesOf = board => knownProfile(board.profile)?.rules ?? FOUR;

/** Shots of an end by the board's profile. */
export const shotsOf = board => rulesOf(board).shots;

/** Whose shot it is: the team without the hammer throws the even ones. */
export const sideToMove = board => (board.shot % 2 === 1 ? board.hammer : other(board.hammer));
/** The slot of the stone that is thrown next; placed stones have the first ones. */
export const slotToMove = board => Math.floor(board.shot / 2) + rulesOf(board).preplaced;
export const isEndOver = board => board.shot >= shotsOf(board);

/** The board before the first shot of an end that begins with placed stones: mixed doubles. */
export function withSetup(board, setup, pattern) {
  const {house, guards} = knownProfile(board.profile).setups[setup];
  const {stones} = emptyBoard();
  const own = (team, at) => stones[team].with(0, at);
  const first = other(board.hammer);
  const placed = {[board.hammer]: own(board.hammer, house), [first]: own(first, guards[pattern])};
  return {...board, shot: 0, stones: placed};
}

/** The board before the first shot of an end: without stones, or with the ordinary setup. */
export function newEnd(board) {
  const empty = {...board, shot: 0, stones: emptyBoard().stones};
  return knownProfile(board.profile)?.setups ? withSetup(empty, 'center_house', 0) : empty;
}

/** The document that the API wants as `state`. */
export function stateOf(board) {
  const slots = team => board.stones[team].map(stone => stone && {position: stone});
  const {end, shot, hammer} = board;
  const told = team => board.scores[team].slice(0, Math.min(end, board.ends));
  const scores = {team0: told('team0'), team1: told('team1')};
  return {end, shot, hammer, scores, stones: {team0: slots('team0'), team1: slots('team1')}};
}

const positionOf = stone =>
  Number.isFinite(stone?.position?.x) && Number.isFinite(stone.position.y)
    ? {x: stone.position.x, y: stone.position.y}
    : null;

/** The rest of the position in a request: the length of the game. */
export const settingOf = ({ends}) => ({max_end: ends});

/** The ends of the game that a message tells: its setting, or the scores of ends not yet played. */
function endsOf(document, {scores, end = 0}) {
  const told = document.setting?.max_end;
  if (Number.isInteger(told)) return told;
  const listed = Math.max(...TEAMS.map(team => scores?.[team]?.length ?? 0));
  return Math.max(listed > end ? listed : GAME_ENDS, 1);
}

/** A board from a message of a Digital Curling server (an update, its state, or its stones), or
 * from the body of a shot query. */
export function boardFrom(document, profile) {
  const state = document.update?.state ?? document.state ?? document;
  if (!state.stones?.team0 || !state.stones?.team1)
    throw new Error('There is no “stones” with “team0” and “team1” in it.');
  const board = emptyBoard(document.profile ?? profile);
  const slots = team => Array.from({length: SLOTS}, (_, k) => positionOf(state.stones[team][k]));
  const known = ['end', 'shot', 'hammer', 'scores'].filter(name => name in state);
  return {
    ...board,
    ends: endsOf(document, state),
    stones: {team0: slots('team0'), team1: slots('team1')},
    ...Object.fromEntries(known.map(name => [name, state[name]])),
  };
}

/** The board with a stone somewhere else; null takes it off. */
export function withStone(board, team, slot, at) {
  const slots = board.stones[team].with(slot, at);
  return {...board, stones: {...board.stones, [team]: slots}};
}

/** The board with one more stone of the team beside the house: {board, slot}, or null where all
 * are in play. */
export function withNewStone(board, team) {
  const slot = board.stones[team].indexOf(null);
  if (slot < 0) return null;
  const stones = Object.values(board.stones).flat().filter(Boolean);
  const isTaken = at =>
    stones.some(stone => Math.hypot(stone.x - at.x, stone.y - at.y) < 2.2 * STONE_RADIUS);
  let at = {x: PARK_X[team], y: TEE_Y};
  while (isTaken(at)) at = {...at, y: at.y - PARK_STEP};
  const thrown = slot - rulesOf(board).preplaced;
  const itsShot = 2 * thrown + (team === board.hammer ? 1 : 0);
  const shot = Math.min(Math.max(board.shot, itsShot + 1), shotsOf(board) - 1);
  return {board: {...withStone(board, team, slot, at), shot}, slot};
}

/** The board with a score for each end before this one. */
export function withAllScores(board) {
  const ends = Math.min(board.end, board.ends);
  const fill = list => {
    const known = list.filter(Number.isFinite).slice(0, ends);
    return [...known, ...Array(ends - known.length).fill(0)];
  };
  const scores = Object.fromEntries(TEAMS.map(team => [team, fill(board.scores[team])]));
  return {...board, scores};
}

/** The board before the next end, after one with this score {team0, team1}. */
export function afterEnd(board, score) {
  const winner = TEAMS.find(team => score[team]);
  const add = team => [...board.scores[team], score[team]].slice(0, board.ends);
  return {
    ...board,
    scores: {team0: add('team0'), team1: add('team1')},
    end: board.end + 1,
    hammer: winner ? other(winner) : board.hammer,
  };
}

/** The board after a throw: a free guard zone foul takes the delivered stone off. */
export function afterThrow(board, thrown) {
  const after = {...board, stones: thrown.stones, shot: board.shot + 1};
  return thrown.foul ? withStone(after, sideToMove(board), slotToMove(board), null) : after;
}
