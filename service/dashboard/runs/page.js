// All runs in a table that can be filtered and sorted; some of them can be looked at together.
import {curveWords, number, shortId} from '../lib/format.js';
import {jobWords} from '../lib/job_words.js';
import {usePages} from '../lib/use_pages.js';
import {StateBadge, When} from '../parts/cells.js';
import {CheckBox, Labelled, Select} from '../parts/inputs.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';
import {metricsOf, ORDERS, shownRuns, specColumns, stateOf, tagWords} from '../lib/run_rows.js';

const POLL_MS = 5000;
const FIELDS = 'id,job,kind,state,seed,tags,metrics,last_values,created_at,spec';
const NOTHING = 'There are no runs yet. Jobs that train or diagnose leave runs behind.';
const NO_MATCH = 'No run has all these words.';

const whatCell = ({kind, spec, job}) => html`<b>${kind}</b>
  ${` ${jobWords(kind, spec)} `}
  <a class="small" href="#/job/${job}">job ${job}</a>`;

const FIRST = [
  {head: 'Run', cell: ({id}) => html`<a href="#/run/${id}">${shortId(id)}</a>`},
  {head: 'What', wide: 'what', cell: whatCell},
  {head: 'State', cell: run => html`<${StateBadge} state=${stateOf(run)} />`},
  {head: 'Seed', isNumber: true, cell: ({seed}) => number(seed)},
];
const LAST = [
  {head: 'Tags', cell: ({tags}) => tagWords(tags)},
  {head: 'Made', cell: run => html`<${When} at=${run.created_at} />`},
];

/** What is shown of the runs. */
function Choices({metrics, view, setView}) {
  const change = changes => setView({...view, ...changes});
  const names = ['', ...metrics];
  const curves = Object.fromEntries(metrics.map(name => [name, curveWords(name)]));
  const values = {label: 'Last value of', names: {...curves, '': 'nothing'}, values: names};
  const orders = {label: 'Order', values: Object.keys(ORDERS), names: ORDERS};
  return html`<div class="fields">
    <${Labelled} label="Filter" help="words of the job, its spec or tags">
      <input
        type="search"
        value=${view.words}
        onInput=${({target}) => change({words: target.value})}
      />
    <//>
    <${Select} ...${values} value=${view.metric} onSelect=${metric => change({metric})} />
    <${Select} ...${orders} value=${view.order} onSelect=${order => change({order})} />
    <label>
      <${CheckBox} isOn=${view.hasSpec} onToggle=${hasSpec => change({hasSpec})} />${' '}
      columns of what differs
    </label>
  </div>`;
}

function columnsOf(runs, {metric, hasSpec}, box) {
  const value = metric && {
    head: curveWords(metric),
    isNumber: true,
    cell: ({last_values: values}) => number(values[metric]),
  };
  return [
    {head: '', cell: box},
    ...FIRST,
    ...(hasSpec ? specColumns(runs) : []),
    value,
    ...LAST,
  ].filter(Boolean);
}

export function Page() {
  const {items, error, more} = usePages('/v1/runs', {fields: FIELDS}, POLL_MS);
  const [chosen, setChosen] = useState([]);
  const [view, setView] = useState({words: '', metric: '', order: 'newest', hasSpec: false});
  const shown = items && shownRuns(items, view);
  const box = ({id}) => html`<${CheckBox}
    aria-label="choose run ${id}"
    isOn=${chosen.includes(id)}
    onToggle=${isOn => setChosen(chosen.filter(one => one !== id).concat(isOn ? id : []))}
  />`;
  const columns = columnsOf(shown ?? [], view, box);
  const compare = () => {
    location.hash = `#/run/${chosen.join(',')}`;
  };
  return html`
    <h1>Runs</h1>
    <section class="card tool">
      <${Choices} metrics=${metricsOf(items ?? [])} view=${view} setView=${setView} />
    </section>
    <div class="toolbar">
      <button class="primary" disabled=${!chosen.length} onClick=${compare}>Show together</button>
      <span class="dim small">Tick runs to see their curves in one chart.</span>
    </div>
    <section class="card">
      <${Table}
        ...${{columns, error}}
        items=${shown}
        nothing=${items?.length ? NO_MATCH : NOTHING}
        kind="stack"
        label="Runs"
      />
    </section>
    <button hidden=${!more} onClick=${more}>Older runs</button>
  `;
}
