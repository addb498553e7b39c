import {blob, get} from '../lib/api.js';
import {number, shortId} from '../lib/format.js';
import {hasEnded} from '../lib/job_states.js';
import {save} from '../lib/save.js';
import {Card} from '../parts/card.js';
import {Empty} from '../parts/empty.js';
import {ErrorBox} from '../parts/error_box.js';
import {Loading} from '../parts/loading.js';
import {Table} from '../parts/table.js';
import {When} from '../parts/when.js';
import {html, useEffect, useState} from '../vendor/preact.js';

const COLUMNS = [
  {head: 'Step', isNumber: true},
  {head: 'Bytes', isNumber: true},
  {head: 'SHA-256'},
  {head: 'When'},
  {head: ''},
];

/** The checkpoints {items} or {error}, asked for anew with each turn. */
function useCheckpoints(run, turn) {
  const [state, setState] = useState({});
  useEffect(() => {
    const controller = new AbortController();
    const {signal} = controller;
    get(`/v1/runs/${run.id}/checkpoints`, {signal}).then(
      ({items}) => setState({items}),
      error => signal.aborted || setState({error}),
    );
    return () => controller.abort();
  }, [run.id, turn]);
  return state;
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

function CheckpointTable({run, items}) {
  const row = ({step, bytes, sha256, at}) => [
    number(step),
    number(bytes),
    sha256.slice(0, 12),
    html`<${When} at=${at} />`,
    html`<${Actions} run=${run} step=${step} />`,
  ];
  return html`<${Table} columns=${COLUMNS} rows=${items.map(row)} />`;
}

export function CheckpointsCard({run, turn, title}) {
  const {items, error} = useCheckpoints(run, turn);
  const content = () => {
    if (error) return html`<${ErrorBox} error=${error} />`;
    if (!items) return html`<${Loading} />`;
    if (!items.length) return html`<${Empty}>${hasEnded(run) ? 'None.' : 'None yet.'}<//>`;
    return html`<${CheckpointTable} run=${run} items=${items} />`;
  };
  return html`<${Card} title=${title}>${content()}<//>`;
}
