// A new job. The form is drawn from the description of its kind.
import {get} from '../lib/api.js';
import {loadJobKind, loadJobKinds} from '../lib/job_kinds.js';
import {useLoaded} from '../lib/use_loaded.js';
import {PLAYER_LIST} from '../forms/field_input.js';
import {Select} from '../parts/inputs.js';
import {Empty, Loaded, LoadedPage} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';
import {JobForm} from './job_form.js';
import {branchSpec, branchOrigin} from './branch.js';

const players = signal =>
  get('/v1/players?fields=name,about&limit=500', {signal}).then(
    ({items}) => items,
    () => [], // the list only helps
  );

/** What the page needs whatever the kind: {kinds, origin, players}. */
async function load(query, signal) {
  const [kinds, origin, known] = await Promise.all([
    loadJobKinds(),
    branchOrigin(query, signal),
    players(signal),
  ]);
  return {kinds: kinds.filter(kind => !kind.internal), origin, players: known};
}

/** The form of a kind, once its schema is there. */
function KindForm({name, origin, chooser}) {
  const {value: kind, error} = useLoaded(signal => loadJobKind(name, signal), []);
  const given = origin && name === 'train' ? branchSpec(origin) : null;
  return kind
    ? html`<${JobForm} kind=${kind} given=${given} chooser=${chooser} />`
    : html`<section class="card">${chooser}<${Loaded} error=${error} /></section>`;
}

function NewJob({kinds, origin, players: known, wanted}) {
  const names = kinds.map(kind => kind.name);
  const [name, setName] = useState(names.includes(wanted) ? wanted : names[0]);
  if (!name) return html`<${Empty}>This service knows no kinds of jobs.<//>`;
  const chooser = html`<label class="small">Kind${' '}
    <${Select} id="kind" values=${names} value=${name} onSelect=${setName} />
  </label>`;
  const option = player => html`<option value=${player.name}>${player.about}</option>`;
  return html`
    <datalist id=${PLAYER_LIST}>${known.map(option)}</datalist>
    <${KindForm} key=${name} name=${name} origin=${origin} chooser=${chooser} />
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
