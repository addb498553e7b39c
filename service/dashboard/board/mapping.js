// A map of aims: what each place on the ice is worth as a target. It grows from coarse to fine.
import {settingOf, stateOf} from '../curling/board.js';
import {BACK_Y} from '../curling/dimensions.js';
import {noiseOf} from '../curling/hand.js';
import {post, remove} from '../lib/api.js';
import {percent} from '../lib/format.js';
import {hear} from './asking.js';

const TIMEOUT_MS = 30000;
const REPORT_MS = 100;

export const ANY = 'any';
export const MAP_WEIGHTS = [ANY, 'draw', 'hit', 'hard'];
export const MAP_WEIGHT_NAMES = {
  any: 'the best of all',
  draw: 'draw: stops there',
  hit: 'hit: crosses the tee line there',
  hard: 'hard hit',
};
export const MAP_TURNS = [ANY, 'cw', 'ccw'];
export const MAP_VALUES = ['win_probability', 'expected_score', 'hand_costs'];

/** What the errors of the hand cost a shot: less than nothing where they help. */
export function costWords({hand_costs: {win_probability: cost}}) {
  const text = percent(Math.abs(cost));
  return cost < 0 && parseFloat(text) > 0 ? `−${text}` : text;
}

/** The judge: the player of the page if it is one that has a judge. */
export const judgeOf = player => (/^rink(:|$)/.test(player.trim()) ? player.trim() : 'rink');

/** The part of a query that maps and calls share. */
export const aboutPosition = ({board, player, hand}) => ({
  profile: board.profile,
  state: stateOf(board),
  setting: settingOf(board),
  player: judgeOf(player),
  timeout_ms: TIMEOUT_MS,
  ...noiseOf(hand),
});

/** The layers of a choice. */
const layersOf = ({layers}, {weight, turn}) =>
  layers.filter(
    layer => [ANY, layer.weight].includes(weight) && [ANY, layer.rotation].includes(turn),
  );

/** The cell of a layer at shares of the area. */
function cellOf({columns, rows}, [right, far]) {
  const index = (share, count) => Math.min(Math.max(Math.floor(share * count), 0), count - 1);
  return index(far, rows) * columns + index(right, columns);
}

/** The best layer of the choice at a place, with its cell there, or null. What the hand costs is
 * shown of the shot that is best. */
function bestAt(layers, shares, name) {
  const by = name === 'hand_costs' ? 'win_probability' : name;
  let best = null;
  for (const layer of layers) {
    const cell = cellOf(layer, shares);
    const value = layer[by][cell];
    if (value !== null && (!best || value > best.layer[by][best.cell])) best = {layer, cell};
  }
  return best;
}

/** {values, columns, range, area} of a choice {weight, turn, value}; null: nothing is chosen. */
export function pictureOf(answer, choice) {
  const layers = layersOf(answer, choice);
  const columns = Math.max(...layers.map(layer => layer.columns));
  const rows = Math.max(...layers.map(layer => layer.rows));
  const valueAt = (_, k) => {
    const shares = [((k % columns) + 0.5) / columns, (Math.floor(k / columns) + 0.5) / rows];
    const best = bestAt(layers, shares, choice.value);
    return best && best.layer[choice.value][best.cell];
  };
  const values = Array.from({length: columns * rows}, valueAt);
  const known = values.filter(value => value !== null);
  const range = known.length ? [Math.min(...known), Math.max(...known)] : [0, 0];
  return {values, columns, range, area: answer.area};
}

/** The call of the cell at a point of the ice: {aim, weight, rotation}; null: there is none. */
export function callAt({answer, ...choice}, {x, y}) {
  const {area} = answer;
  const share = (at, [low, high]) => (at - low) / (high - low);
  const shares = [share(x, area.x), share(Math.min(y, BACK_Y), area.y)];
  if (shares.some(one => one < 0 || one >= 1)) return null;
  const best = bestAt(layersOf(answer, choice), shares, choice.value);
  if (!best) return null;
  const {columns, rows, weight, rotation} = best.layer;
  const middle = ([low, high], index, count) => low + ((high - low) * (index + 0.5)) / count;
  const aim = {
    x: middle(area.x, best.cell % columns, columns),
    y: middle(area.y, Math.floor(best.cell / columns), rows),
  };
  return {aim, weight, rotation};
}

/** Asks for the map of the position and shows it as it grows. */
export async function makeMap(session) {
  const {board, map} = session.state;
  const {signal} = session;
  const isNow = () => board === session.state.board && !signal.aborted;
  const show = answer => {
    if (isNow()) session.set({map: {...session.state.map, answer}});
  };
  const chosen = map ?? {weight: ANY, turn: ANY, value: 'win_probability'};
  session.set({map: {...chosen, answer: null}, say: 'Throwing at every place …'});
  const query = {...aboutPosition(session.state), report_interval_ms: REPORT_MS, map: {}};
  const headers = {Prefer: 'respond-async'};
  try {
    const {id} = await post('/v1/maps', query, {signal, headers});
    const forget = () => remove(`/v1/shots/${id}`).catch(() => {});
    signal.addEventListener('abort', forget);
    try {
      show(await hear(session, id, show));
    } finally {
      signal.removeEventListener('abort', forget);
    }
  } finally {
    if (isNow() && !session.state.map?.answer) session.set({map: null});
    session.set({say: ''});
  }
}
