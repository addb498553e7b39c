import {TEAM_NAMES} from '../curling/names.js';
import {ShotName} from '../curling/shot_name.js';
import {fixed, number, percent} from '../lib/format.js';
import {useStore} from '../lib/store.js';
import {Card} from '../parts/card.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {addCall, removeCall, showCall} from './calls.js';
import {differenceText} from './difference.js';
import {Distribution} from './distribution.js';
import {ErrorCurves} from './error_curves.js';
import {costWords} from './mapping.js';

/** To the first call. */
const differenceCell = ({win_difference: mean, win_difference_interval: interval}, k) =>
  k === 0 ? null : differenceText(mean, interval);

function columnsOf(session, chosen) {
  const show = (call, k) => html`<button
    aria-pressed=${String(k === chosen)}
    aria-label="show call ${k + 1}, ${call.kind}"
    onClick=${() => showCall(session, k)}
  >
    ${k + 1}
  </button>`;
  const drop = (call, k) => html`<button
    aria-label="remove call ${k + 1}"
    onClick=${() => session.work(() => removeCall(session, k))}
  >
    ×
  </button>`;
  return [
    {head: '', cell: show},
    {head: 'Call', cell: ({kind, shot: own}) => html`<${ShotName} kind=${kind} shot=${own} />`},
    {head: 'Wins', isNumber: true, cell: one => percent(one.win_probability)},
    {head: 'To call 1', isNumber: true, cell: differenceCell},
    {head: 'Points', isNumber: true, cell: one => fixed(one.expected_score, 2)},
    {head: '', cell: drop},
  ];
}

function Compared({session, calls: {answer, chosen}}) {
  const items = answer.calls.map((one, k) => ({...one, id: k}));
  const shown = answer.calls[chosen];
  return html`
    <${Table} columns=${columnsOf(session, chosen)} items=${items} kind="stack" />
    <h3>${`Call ${chosen + 1}: points of the end for ${TEAM_NAMES[answer.side]}`}</h3>
    <${Distribution} shares=${shown.score_distribution} />
    <h3>${`Call ${chosen + 1}: wins, by the error of the hand`}</h3>
    <${ErrorCurves} byError=${shown.by_error} mean=${shown.win_probability} />
    <p class="dim small">
      ${`The errors of the hand cost this call ${costWords(shown)} of the games. `}
      ${`${shown.ends.length} of 200 throws stay in play: the dots on the ice. `}
      ${`All calls meet the same ${number(answer.throws)} errors of the hand; ± is 95 %.`}
    </p>
  `;
}

/** Two or more calls of the user side by side. */
export function CallsCard({session}) {
  const {calls, shot} = useStore(session);
  return html`<${Card} title="Your calls side by side" isTool=${!calls}>
    <p class="dim small">
      Aim at the ice or choose a shot, then add it; with a map on the ice, a click adds.
    </p>
    <div class="buttons">
      <button
        disabled=${!shot}
        onClick=${() => session.work(() => addCall(session, {shot}))}
      >
        Add this shot
      </button>
    </div>
    ${calls && html`<${Compared} session=${session} calls=${calls} />`}
  <//>`;
}
