import {ROTATION_NAMES, speedUnit, TEAM_NAMES} from '../curling/names.js';
import {ShotName} from '../curling/shot_name.js';
import {duration, fixed, number, percent} from '../lib/format.js';
import {useProfile} from '../lib/profiles.js';
import {useStore} from '../lib/store.js';
import {Card, Tile} from '../parts/card.js';
import {Empty} from '../parts/notes.js';
import {StyleTable} from '../parts/style_table.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {choose} from './asking.js';
import {differenceText} from './difference.js';
import {Distribution} from './distribution.js';

const COLUMNS = [
  {head: 'Shot', cell: ({kind, shot}) => html`<${ShotName} kind=${kind} shot=${shot} />`},
  {head: 'Wins', isNumber: true, cell: one => percent(one.win_probability)},
  {head: 'Points', isNumber: true, cell: one => fixed(one.expected_score, 2)},
  {head: 'Succeeds', isNumber: true, cell: one => percent(one.success, 0)},
];

/** The columns; those of values that the player does not have are left out. */
function columnsOf(candidates, {objective}) {
  const isScore = objective === 'score';
  const difference = {
    head: 'To the best',
    isNumber: true,
    cell: ({order, difference: mean, difference_interval: interval}) =>
      order > 0 && interval ? differenceText(mean, interval, isScore) : null,
  };
  const prior = {head: 'Prior', isNumber: true, cell: one => percent(one.prior)};
  const has = name => candidates.some(one => typeof one[name] === 'number');
  const [shot, wins, points, works] = COLUMNS;
  return [
    shot,
    has('win_probability') && wins,
    candidates.some(one => one.order > 0 && one.difference_interval) && difference,
    has('expected_score') && points,
    has('success') && works,
    has('prior') && prior,
  ].filter(Boolean);
}

/** The candidates of a player; onChoose(k) is called when the user picks one. */
function BestShots({candidates, player, chosen, onChoose}) {
  if (!candidates.length) return null;
  const button = ({kind}, k) => html`<button
    aria-pressed=${String(k === chosen)}
    aria-label="shot ${k + 1}, ${kind}"
    onClick=${() => onChoose(k)}
  >
    ${k + 1}
  </button>`;
  const columns = [{head: '', cell: button}, ...columnsOf(candidates, player)];
  return html`
    <h3>Best shots</h3>
    <${Table} columns=${columns} items=${candidates} id="order" view="tight" kind="stack" />
  `;
}

/** The expectation of the player for the position. */
function Expectation({answer: {value, side}}) {
  if (!value) return html`<p class="dim">This player does not say what it expects.</p>`;
  const team = TEAM_NAMES[side];
  return html`
    <div class="tiles">
      <${Tile} value=${percent(value.win_probability)} label="${team} wins" />
      <${Tile} value=${fixed(value.expected_score, 2)} label="points expected for ${team}" />
    </div>
  `;
}

const Points = ({answer: {value, side}}) => html`
  <h3>Points of the end for ${TEAM_NAMES[side]}</h3>
  <${Distribution} shares=${value.score_distribution} />
`;

function effortWords({simulations, elapsed_ms: ms, player}) {
  const who = player.name ?? 'the player';
  return `${number(simulations)} simulations in ${duration(ms / 1000)} by ${who}. `;
}

function shotWords({velocity: {x, y}, rotation}, profile) {
  const turn = rotation ? `, ${ROTATION_NAMES[rotation]}` : '';
  return `Velocity ${fixed(x, 4)}, ${fixed(y, 4)} ${speedUnit(profile)}${turn}.`;
}

/** The answer of the player that was asked. */
export function AnswerCard({session}) {
  const {answer, answerNote, chosen, shot, board} = useStore(session);
  const profile = useProfile(board.profile);
  const content = () => html`
    <${Expectation} answer=${answer} />
    ${answer.concede && html`<p class="note">It would concede.</p>`}
    <${BestShots}
      candidates=${answer.candidates}
      player=${answer.player}
      chosen=${chosen}
      onChoose=${k => choose(session, k)}
    />
    ${answer.value && html`<${Points} answer=${answer} />`}
    ${
      answer.opponent &&
      html`<h3>The other side, by its throws</h3>
      <${StyleTable} opponent=${answer.opponent} />`
    }
    <p class="dim small">
      ${effortWords(answer)}${shot && shotWords(shot, profile)}
    </p>
  `;
  return html`<${Card} title="What the player says" isTool=${!answer}>
    ${answer ? content() : html`<${Empty}>${answerNote}<//>`}
  <//>`;
}
