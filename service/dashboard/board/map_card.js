import {isEndOver} from '../curling/board.js';
import {Legend} from '../curling/heat.js';
import {ROTATION_NAMES} from '../curling/names.js';
import {shotText, ShotName} from '../curling/shot_name.js';
import {duration, fixed, number, percent} from '../lib/format.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {Select} from '../parts/inputs.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {addCall} from './calls.js';
import {
  costWords,
  makeMap,
  MAP_TURNS,
  MAP_VALUES,
  MAP_WEIGHT_NAMES,
  MAP_WEIGHTS,
  pictureOf,
} from './mapping.js';

const TURN_NAMES = {any: 'the better one', ...ROTATION_NAMES};
const VALUE_NAMES = {
  win_probability: 'wins',
  expected_score: 'points of the end',
  hand_costs: 'what the hand’s errors cost',
};
const inPoints = name => name === 'expected_score';
const valueText = (value, name) => (inPoints(name) ? fixed(value, 2) : percent(value));

function Choices({session, map}) {
  const change = changes => session.set({map: {...map, ...changes}});
  const weights = {label: 'Weight', values: MAP_WEIGHTS, names: MAP_WEIGHT_NAMES};
  const turns = {label: 'Turn', values: MAP_TURNS, names: TURN_NAMES};
  const values = {label: 'Colours show', values: MAP_VALUES, names: VALUE_NAMES};
  return html`<div class="fields">
    <${Select} ...${weights} value=${map.weight} onSelect=${weight => change({weight})} />
    <${Select} ...${turns} value=${map.turn} onSelect=${turn => change({turn})} />
    <${Select} ...${values} value=${map.value} onSelect=${value => change({value})} />
  </div>`;
}

const COLUMNS = [
  {head: 'Shot', cell: ({kind, shot}) => html`<${ShotName} kind=${kind} shot=${shot} />`},
  {head: 'Wins', isNumber: true, cell: one => percent(one.win_probability)},
  {head: 'Points', isNumber: true, cell: one => fixed(one.expected_score, 2)},
  {head: 'Hand costs', isNumber: true, cell: costWords},
];

/** The best of each kind and turn: neighbours of the best cell help nobody. */
function diverse(list) {
  const names = list.map(shotText);
  return list.filter((_, k) => names.indexOf(names[k]) === k);
}

/** The best shots of the map, each with a button that takes it to the calls. */
function Best({session, list}) {
  const items = diverse(list).map((one, k) => ({...one, id: k}));
  const add = {
    head: '',
    cell: ({shot, kind}, k) =>
      html`<button
        aria-label="compare shot ${k + 1} of the map, ${kind}"
        onClick=${() => session.work(() => addCall(session, {shot}))}
      >
        ${k + 1}
      </button>`,
  };
  return html`
    <h3>Best shots of the map</h3>
    <${Table} columns=${[add, ...COLUMNS]} items=${items} />
  `;
}

function Drawn({session, map}) {
  const {answer, value} = map;
  const {range} = pictureOf(answer, map);
  const [low, high] = range.map(end => valueText(end, value));
  return html`
    <${Legend} name=${VALUE_NAMES[value]} low=${low} high=${high} />
    <p class="dim small">
      A click on the ice compares the shot that goes there.${' '}
      ${`${number(answer.simulations)} throws in ${duration(answer.elapsed_ms / 1000)}.`}
    </p>
    ${answer.is_final && html`<${Best} session=${session} list=${answer.best} />`}
  `;
}

/** Every place as a target. */
export function MapCard({session}) {
  const {map, board, verdict} = useStore(session);
  const isWrong = isEndOver(board) || verdict?.errors.length > 0;
  return html`<${Card} title="Every place as a target" isTool=${!map}>
    <div class="buttons">
      <button disabled=${isWrong} onClick=${() => session.work(makeMap)}>Draw the map</button>
      ${map && html`<button onClick=${() => session.set({map: null})}>Take it off</button>`}
    </div>
    ${map && html`<${Choices} session=${session} map=${map} />`}
    ${map?.answer && html`<${Drawn} session=${session} map=${map} />`}
  <//>`;
}
