// The cards below the curves of a run: policies, checkpoints, settings.
import {blob, get} from '../lib/api.js';
import {number, shortId} from '../lib/format.js';
import {hasEnded} from '../lib/job_states.js';
import {save} from '../lib/save.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {When} from '../parts/cells.js';
import {Properties} from '../parts/properties.js';
import {Table} from '../parts/table.js';
import {TagsCard} from './tags_card.js';
import {html} from '../vendor/preact.js';

const NOTHING = 'None yet: the first comes with the first checkpoint.';

/** The players that a training has made so far. */
function PoliciesCard({run, title}) {
  const playerOf = ({name}) => `${run.id}.${name}`;
  const board = policy =>
    new URLSearchParams({player: playerOf(policy), profile: run.spec.profile});
  const link = policy => html`<a href="#/board?${board(policy)}">Ask this player</a>`;
  const columns = [
    {head: 'Policy', cell: ({name}) => name},
    {head: 'Ends', isNumber: true, cell: ({step}) => number(step)},
    {head: 'Weights', label: 'weights', cell: ({sha256}) => sha256.slice(0, 12)},
    {head: '', cell: link},
  ];
  const [first] = run.policies;
  return html`<${Card} title=${title} hidden=${run.kind !== 'train'}>
    <${Table} columns=${columns} items=${run.policies} id="name" kind="stack" nothing=${NOTHING} />
    ${first && html`<p class="help">In queries and jobs: ${playerOf(first)}</p>`}
  <//>`;
}

function Actions({run, step}) {
  const branch = `#/new/train?${new URLSearchParams({from: run.id, step})}`;
  const download = async () =>
    save(`${shortId(run.id)}-${step}`, await blob(`/v1/runs/${run.id}/checkpoints/${step}`));
  return html`<span class="buttons">
    ${run.kind === 'train' && html`<a class="button" href=${branch}>Branch</a>`}
    <button onClick=${download}>Save</button>
  </span>`;
}

/** The checkpoints of a run, asked for anew with each turn. */
function CheckpointsCard({run, turn, title}) {
  const load = signal => get(`/v1/runs/${run.id}/checkpoints`, {signal});
  const {value, error} = useLoaded(load, [run.id, turn]);
  const columns = [
    {head: 'Step', isNumber: true, cell: ({step}) => number(step)},
    {head: 'Bytes', isNumber: true, cell: ({bytes}) => number(bytes)},
    {head: 'SHA-256', label: 'SHA-256', cell: ({sha256}) => sha256.slice(0, 12)},
    {head: 'When', cell: ({at}) => html`<${When} at=${at} />`},
    {head: '', cell: ({step}) => html`<${Actions} run=${run} step=${step} />`},
  ];
  const nothing = hasEnded(run) ? 'None.' : 'None yet.';
  if (run.kind !== 'train' && !value?.items.length) return null;
  return html`<${Card} title=${title}>
    <${Table} ...${{columns, error, nothing}} items=${value?.items} id="step" kind="stack" />
  <//>`;
}

/** The spec of the run, the versions of the programs. */
const SettingsCard = ({run, title}) => html`<${Card} title=${title}>
  <${Properties} value=${run.spec} />
  <h3>Versions</h3>
  <${Properties} value=${run.versions} />
<//>`;

/** The cards of a run below its curves. */
export function Details({run, turn, isOne}) {
  const of = isOne ? '' : ` of ${shortId(run.id)}`;
  return html`<div>
    <${PoliciesCard} run=${run} title="Policies${of}" />
    <${CheckpointsCard} run=${run} turn=${turn} title="Checkpoints${of}" />
    <${TagsCard} run=${run} title="Tags and notes${of}" />
    <${SettingsCard} run=${run} title="Settings${of}" />
  </div>`;
}
