// The record of a game: a line of JSON for the game, then one for each shot.
import {emptyBoard, SLOTS} from '../curling/board.js';
import {other} from '../curling/names.js';

const place = at => (at ? {x: at[0], y: at[1]} : null);

/** The board before a shot, without the score. The record lists its stones in the order of the
 * shots. */
function boardOf(shot, {profile, ends}, side) {
  const slots = team => {
    const first = team === side ? shot.shot % 2 : 1 - (shot.shot % 2);
    return Array.from({length: SLOTS}, (_, slot) => place(shot.stones[2 * slot + first]));
  };
  return {
    ...emptyBoard(profile),
    ends,
    end: shot.end,
    shot: shot.shot,
    hammer: shot.hammer ? side : other(side),
    stones: {team0: slots('team0'), team1: slots('team1')},
  };
}

/** A shot with its side, the board before it, and its value and lead for red. */
function readShot(shot, head, side) {
  const share = shot.win_probability;
  const isRed = side === 'team0';
  const value = typeof share === 'number' ? (isRed ? share : 1 - share) : null;
  const redLead = isRed ? shot.lead : -shot.lead;
  return {...shot, side, value, redLead, board: boardOf(shot, head, side)};
}

/** Adds the score, end by end, to the boards: a record has the lead before each shot. */
function addScores(shots) {
  let lead = 0;
  let scores = {team0: [], team1: []};
  return shots.map((shot, k) => {
    if (k > 0 && shot.end !== shots[k - 1].end) {
      const won = shot.redLead - lead;
      lead = shot.redLead;
      scores = {
        team0: [...scores.team0, Math.max(won, 0)],
        team1: [...scores.team1, Math.max(-won, 0)],
      };
    }
    return {...shot, board: {...shot.board, scores}};
  });
}

/** {head, shots} of the lines, as objects. Red is the player that throws first in the first end. */
export function readRecord(lines) {
  const [head, ...shots] = lines;
  const red = shots[0]?.player;
  const sideOf = shot => (shot.player === red ? 'team0' : 'team1');
  return {head, shots: addScores(shots.map(shot => readShot(shot, head, sideOf(shot))))};
}

/** A shot of a record as the simulator takes it; some profiles have a free rate of turn. */
export function shotOf({velocity: [x, y], omega}, profile) {
  const turn = profile.shot_members.includes('angular_velocity')
    ? {angular_velocity: -omega}
    : {rotation: omega > 0 ? 'ccw' : 'cw'};
  return {velocity: {x, y}, ...turn};
}

/** The indices of the first shots of the ends. */
export const firstShots = shots =>
  shots.map((_, k) => k).filter(k => k === 0 || shots[k].end !== shots[k - 1].end);
