import {ROTATION_NAMES, speedUnit, TEAM_NAMES} from '../curling/names.js';
import {number, percent} from '../lib/format.js';
import {useProfile} from '../lib/profiles.js';
import {useStore} from '../lib/store.js';
import {Card, Tile} from '../parts/card.js';
import {Empty} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {choose} from './asking.js';
import {Distribution} from './distribution.js';

const shotName = ({kind, shot}) =>
  shot?.rotation ? `${kind}, ${ROTATION_NAMES[shot.rotation]}` : kind;

const COLUMNS = [
  {head: 'Shot', cell: shotName},
  {head: 'Wins', isNumber: true, cell: one => percent(one.win_probability)},
  {head: 'Points', isNumber: true, cell: one => number(one.expected_score, 2)},
  {head: 'Works', isNumber: true, cell: one => percent(one.success, 0)},
  {head: 'Visits', isNumber: true, cell: one => number(one.visits)},
];

/** The candidates of a player; onChoose(k) is called when the user picks one. */
function BestShots({candidates, chosen, onChoose}) {
  if (!candidates.length) return null;
  const button = ({kind}, k) => html`<button
    aria-pressed=${String(k === chosen)}
    aria-label="shot ${k + 1}, ${kind}"
    onClick=${() => onChoose(k)}
  >
    ${k + 1}
  </button>`;
  return html`
    <h3>Best shots</h3>
    <${Table} columns=${[{head: '', cell: button}, ...COLUMNS]} items=${candidates} />
  `;
}

/** The expectation of the player for the position. */
function Expectation({answer: {value, side}}) {
  if (!value) return html`<p class="dim">This player does not say what it expects.</p>`;
  const team = TEAM_NAMES[side];
  return html`
    <div class="tiles">
      <${Tile} value=${percent(value.win_probability)} label="${team} wins" />
      <${Tile} value=${number(value.expected_score, 2)} label="points expected for ${team}" />
    </div>
    <h3>Points of the end for ${team}</h3>
    <${Distribution} shares=${value.score_distribution} />
  `;
}

function effortWords({simulations, elapsed_ms: ms, player}) {
  const who = player.name ?? 'the player';
  return `${number(simulations)} simulations in ${number(Math.round(ms))} ms by ${who}. `;
}

function shotWords({velocity: {x, y}, rotation}, profile) {
  const turn = rotation ? `, ${ROTATION_NAMES[rotation]}` : '';
  return `Velocity ${x.toFixed(4)}, ${y.toFixed(4)} ${speedUnit(profile)}${turn}.`;
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
      chosen=${chosen}
      onChoose=${k => choose(session, k)}
    />
    <p class="dim small">
      ${effortWords(answer)}${shot && shotWords(shot, profile)}
    </p>
  `;
  return html`<${Card} title="What the player says">
    ${answer ? content() : html`<${Empty}>${answerNote}<//>`}
  <//>`;
}
