import {blob, get} from '../lib/api.js';
import {number, shortId} from '../lib/format.js';
import {hasEnded} from '../lib/job_states.js';
import {save} from '../lib/save.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {When} from '../parts/cells.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

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
export function CheckpointsCard({run, turn, title}) {
  const load = signal => get(`/v1/runs/${run.id}/checkpoints`, {signal});
  const {value, error} = useLoaded(load, [run.id, turn]);
  const columns = [
    {head: 'Step', isNumber: true, cell: ({step}) => number(step)},
    {head: 'Bytes', isNumber: true, cell: ({bytes}) => number(bytes)},
    {head: 'SHA-256', cell: ({sha256}) => sha256.slice(0, 12)},
    {head: 'When', cell: ({at}) => html`<${When} at=${at} />`},
    {head: '', cell: ({step}) => html`<${Actions} run=${run} step=${step} />`},
  ];
  const nothing = hasEnded(run) ? 'None.' : 'None yet.';
  return html`<${Card} title=${title}>
    <${Table} ...${{columns, error, nothing}} items=${value?.items} id="step" />
  <//>`;
}
