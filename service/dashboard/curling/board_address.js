// A board as the address of the board page, so that a position can be kept, sent and opened again:
// "#/board?profile=dc2&ends=8&end=2&shot=5&hammer=team1&score0=0_1&stones0=1_0.25_35.4*3_-1_38".
// Only characters that need no escape are used.
import {HALF_WIDTH} from './dimensions.js';
import {emptyBoard, shotsOf, SLOTS, withAllScores} from './board.js';
import {handText} from './hand.js';
import {TEAMS} from './names.js';

const DIGITS = 1e4; // a tenth of a millimetre
const BETWEEN = '_';
const NEXT = '*';
const NUMBERS = ['ends', 'end', 'shot'];
const FAR_M = 20 * HALF_WIDTH; // no stone lies farther away

const rounded = metres => Math.round(metres * DIGITS) / DIGITS;

const stonesText = slots =>
  slots
    .map((at, slot) => at && [slot + 1, rounded(at.x), rounded(at.y)].join(BETWEEN))
    .filter(Boolean)
    .join(NEXT);

function stonesOf(text) {
  const slots = Array(SLOTS).fill(null);
  for (const stone of text.split(NEXT).filter(Boolean)) {
    const [number, x, y] = stone.split(BETWEEN).map(Number);
    if (!Number.isInteger(number) || number < 1 || number > SLOTS) return null;
    if (!(Math.abs(x) <= FAR_M) || !(Math.abs(y) <= FAR_M)) return null;
    slots[number - 1] = {x, y};
  }
  return slots;
}

const scoresOf = text => text.split(BETWEEN).filter(Boolean).map(Number);

/** The parameters of a board, of the player to ask and of the hand. */
export function boardQuery(board, {player, seconds, hand = {}} = {}) {
  const query = new URLSearchParams({profile: board.profile});
  for (const name of [...NUMBERS, 'hammer']) query.set(name, board[name]);
  TEAMS.forEach((team, k) => {
    const scores = board.scores[team].map(score => score ?? 0).join(BETWEEN);
    const stones = stonesText(board.stones[team]);
    if (scores) query.set(`score${k}`, scores);
    if (stones) query.set(`stones${k}`, stones);
  });
  if (player) query.set('player', player);
  if (seconds) query.set('seconds', seconds);
  if (handText(hand)) query.set('hand', handText(hand));
  return query;
}

export const boardAddress = (board, more) => `#/board?${boardQuery(board, more)}`;

/** Whole numbers of the parameters; null where one is none. */
function numbersOf(query, usual) {
  const list = NUMBERS.map(name => [name, Number(query.get(name) ?? usual[name])]);
  return list.every(([, value]) => Number.isInteger(value) && value >= 0)
    ? Object.fromEntries(list)
    : null;
}

const forTeams = f => Object.fromEntries(TEAMS.map((team, k) => [team, f(k)]));

/** The board of such parameters; null where they name none, or one that cannot be. */
export function boardOfQuery(query) {
  if (!query.has('shot')) return null;
  const usual = emptyBoard(query.get('profile') ?? undefined);
  const numbers = numbersOf(query, usual);
  const hammer = query.get('hammer') ?? usual.hammer;
  const stones = forTeams(k => stonesOf(query.get(`stones${k}`) ?? ''));
  const scores = forTeams(k => scoresOf(query.get(`score${k}`) ?? ''));
  const isGood = numbers && numbers.shot <= shotsOf(usual) && numbers.ends > 0;
  if (!isGood || !TEAMS.includes(hammer) || TEAMS.some(team => !stones[team])) return null;
  return withAllScores({...usual, ...numbers, hammer, scores, stones});
}
