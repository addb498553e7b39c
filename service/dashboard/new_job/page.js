// A new job. The form is drawn from the description of its kind.
import {useForm} from '../forms/form_state.js';
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

/** The spec that an address "?spec=JSON" gives, or null; one that cannot be read is none. */
function givenSpec(query) {
  try {
    return JSON.parse(query.get('spec'));
  } catch {
    return null;
  }
}

/** The data that all kinds need, and a spec {kind, spec} to begin with, or null. */
async function load(query, wanted, signal) {
  const [kinds, branch] = await Promise.all([loadJobKinds(), branchSpec(query, signal)]);
  const spec = branch ?? givenSpec(query);
  const given = spec && {kind: branch ? 'train' : wanted, spec};
  return {kinds: kinds.filter(kind => !kind.internal), given};
}

/** The form of a kind, once its schema is there. */
function KindForm({name, given: first, chooser, form}) {
  const {value: kind, error} = useLoaded(signal => loadJobKind(name, signal), []);
  const given = name === first?.kind ? first.spec : null;
  return kind
    ? html`<${JobForm} ...${{kind, given, chooser, form}} />`
    : html`<section class="card">${chooser}<${Loaded} error=${error} /></section>`;
}

function NewJob({kinds, given, wanted}) {
  const names = kinds.map(kind => kind.name);
  const [name, setName] = useState(names.includes(wanted) ? wanted : names[0]);
  const form = useForm(); // outlives the choice of a kind: nothing that was filled in is lost
  if (!name) return html`<${Empty}>This service knows no kinds of jobs.<//>`;
  const chooser = html`<label>Kind${' '}
    <${Select} id="kind" values=${names} value=${name} onSelect=${setName} />
  </label>`;
  return html`
    <${PlayerList} />
    <${KindForm} key=${name} ...${{name, given, chooser, form}} />
  `;
}

export function Page({args, query}) {
  const wanted = args[0] ?? query.get('kind');
  const loaded = useLoaded(signal => load(query, wanted, signal), []);
  return html`<${LoadedPage} title="New job" loaded=${loaded}>
    ${value => html`
      <h1>New job</h1>
      <${NewJob} ...${value} wanted=${wanted} />
    `}
  <//>`;
}
