// A new job. The form is drawn from the description of its kind.
import {get} from '../lib/api.js';
import {loadJobKind, loadJobKinds} from '../lib/job_kinds.js';
import {useLoaded} from '../lib/use_loaded.js';
import {Select} from '../parts/inputs.js';
import {Empty, Loaded, LoadedPage} from '../parts/notes.js';
import {PlayerList} from '../parts/player_list.js';
import {html, useState} from '../vendor/preact.js';
import {JobForm} from './job_form.js';

/** The training that an address "?from=RUN&step=STEP" asks for, or null: it goes on from a
 * checkpoint of the run, with the same spec, for twice as long. */
async function branchSpec(query, signal) {
  const run = query.get('from');
  if (!run) return null;
  const {spec, seed} = await get(`/v1/runs/${encodeURIComponent(run)}`, {signal});
  const from = {run, step: Number(query.get('step'))};
  return {...spec, seeds: [seed], iterations: 2 * spec.iterations, from};
}

/** The data that all kinds need. */
async function load(query, signal) {
  const [kinds, branch] = await Promise.all([loadJobKinds(), branchSpec(query, signal)]);
  return {kinds: kinds.filter(kind => !kind.internal), branch};
}

/** The form of a kind, once its schema is there. */
function KindForm({name, branch, chooser}) {
  const {value: kind, error} = useLoaded(signal => loadJobKind(name, signal), []);
  const given = name === 'train' ? branch : null;
  return kind
    ? html`<${JobForm} kind=${kind} given=${given} chooser=${chooser} />`
    : html`<section class="card">${chooser}<${Loaded} error=${error} /></section>`;
}

function NewJob({kinds, branch, wanted}) {
  const names = kinds.map(kind => kind.name);
  const [name, setName] = useState(names.includes(wanted) ? wanted : names[0]);
  if (!name) return html`<${Empty}>This service knows no kinds of jobs.<//>`;
  const chooser = html`<label class="small">Kind${' '}
    <${Select} id="kind" values=${names} value=${name} onSelect=${setName} />
  </label>`;
  return html`
    <${PlayerList} />
    <${KindForm} key=${name} name=${name} branch=${branch} chooser=${chooser} />
  `;
}

export function Page({args, query}) {
  const loaded = useLoaded(signal => load(query, signal), []);
  return html`<${LoadedPage} title="New job" loaded=${loaded}>
    ${value => html`
      <h1>New job</h1>
      <${NewJob} ...${value} wanted=${args[0] ?? query.get('kind')} />
    `}
  <//>`;
}
