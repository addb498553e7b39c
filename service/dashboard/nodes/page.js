// Other machines that do tasks of jobs: what each does, how fast, and what went wrong there.
import {post, remove} from '../lib/api.js';
import {duration, number} from '../lib/format.js';
import {usePages} from '../lib/use_pages.js';
import {ActionButtons} from '../parts/action_buttons.js';
import {When} from '../parts/cells.js';
import {ErrorBox} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';
import {ACTIONS} from './actions.js';

const POLL_MS = 3000;
const NOTHING = 'There are no nodes. A machine becomes one by rink-node.';

const send = ({name}, node) =>
  name === 'forget'
    ? remove(`/v1/nodes/${encodeURIComponent(node)}`)
    : post(`/v1/nodes/${encodeURIComponent(node)}/${name}`);

const nameCell = ({name, place, owner}) => html`<b>${name}</b>
  ${(place ?? owner) && html` <span class="small dim">${place ?? owner}</span>`}`;

const stateCell = ({state, is_away: isAway, reason}) =>
  html`${isAway && state !== 'left' ? `${state}, away` : state}
  ${reason && html`<p class="small field-error">${reason}</p>`}`;

const taskLink = ({job, number: task}) =>
  html`<a href="#/job/${job}" key="${job}-${task}">job ${job}, part ${task}</a>${' '}`;

const doesCell = ({doing}) => (doing.length ? doing.map(taskLink) : null);

const kindsCell = ({kinds, refused}) =>
  html`${kinds.join(', ')}
  ${refused.map(
    ({kind, reason}) => html`<p class="small" key=${kind}>not ${kind}: ${reason}</p>`,
  )}`;

const COLUMNS = [
  {head: 'Node', cell: nameCell},
  {head: 'State', label: 'state', cell: stateCell},
  {head: 'Does', label: 'does', wide: 'what', cell: doesCell},
  {head: 'Cores', isNumber: true, cell: ({cores}) => number(cores)},
  {head: 'Throws/s', isNumber: true, cell: ({shots_per_s: speed}) => speed && number(speed)},
  {head: 'Done', isNumber: true, cell: ({done}) => number(done)},
  {head: 'Failed', isNumber: true, cell: ({failed}) => number(failed)},
  {head: 'Lost', isNumber: true, cell: ({lost}) => number(lost)},
  {head: 'Core time', isNumber: true, cell: ({busy_s: busy}) => duration(busy)},
  {head: 'Since', label: 'since', cell: ({since}) => html`<${When} at=${since} />`},
  {head: 'Seen', label: 'seen', cell: ({last_seen: seen}) => html`<${When} at=${seen} />`},
  {head: 'Last error', label: 'last error', cell: ({last_error: error}) => error},
  {head: 'Kinds', label: 'kinds', cell: kindsCell},
];

export function Page() {
  const {items, error, more} = usePages('/v1/nodes', {}, POLL_MS);
  const [problem, setProblem] = useState(null);
  const buttons = ({name, state}) => html`<${ActionButtons}
    actions=${ACTIONS.filter(({states}) => states.includes(state))}
    send=${action => send(action, name)}
    onProblem=${setProblem}
    onDone=${() => {}}
  />`;
  const columns = [...COLUMNS, {head: '', cell: buttons}];
  return html`
    <h1>Nodes</h1>
    ${problem && html`<${ErrorBox} error=${problem} />`}
    <section class="card">
      <${Table}
        ...${{columns, items, error}}
        nothing=${NOTHING}
        id="name"
        kind="stack"
        label="nodes"
      />
    </section>
    <button hidden=${!more} onClick=${more}>More nodes</button>
  `;
}
