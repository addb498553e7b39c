// All runs in a table that can be filtered, sorted and grouped; some of them can be looked at
// together.
import {curveWords} from '../run/curve_words.js';
import {counted, number, shortId} from '../lib/format.js';
import {loadJobKinds} from '../lib/job_kinds.js';
import {jobWords} from '../lib/job_words.js';
import {useLoaded} from '../lib/use_loaded.js';
import {usePages} from '../lib/use_pages.js';
import {StateBadge, When} from '../parts/cells.js';
import {CheckBox, Labelled, Select} from '../parts/inputs.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';
import {
  metricsOf,
  ORDERS,
  shownRows,
  specColumns,
  stateOf,
  tagWords,
  TOGETHER_MOST,
  VALUES,
  valueWords,
} from '../run/run_rows.js';

const POLL_MS = 5000;
const FIELDS = 'id,job,kind,state,seed,tags,metrics,created_at,spec';
const NOTHING = html`There are no runs yet: <a href="#/new/train">train a player</a>, or${' '}
  <a href="#/new/diagnose">measure this machine</a>.`;
const NO_MATCH = 'No run has all these words.';
const WHOLE = {
  ...{words: '', metric: '', which: 'last', order: 'newest'},
  ...{hasSpec: false, isByJob: false},
};

const idsOf = runs => runs.map(({id}) => id);
const addressOf = ids => `#/run/${ids.join(',')}`;

const whatCell = ({kind, spec, job}) => html`<b>${kind}</b>
  ${` ${jobWords(kind, spec)} `}
  <a class="small" href="#/job/${job}">job ${job}</a>`;
const WHAT = {head: 'What', wide: 'what', cell: whatCell};
const STATE = {head: 'State', cell: run => html`<${StateBadge} state=${stateOf(run)} />`};

const OF_RUN = [
  {head: 'Run', cell: ({id}) => html`<a href=${addressOf([id])}>${shortId(id)}</a>`},
  ...[WHAT, STATE],
  {head: 'Seed', isNumber: true, cell: ({seed}) => number(seed)},
];
const runsCell = ({runs}) => {
  const ids = idsOf(runs).slice(0, TOGETHER_MOST);
  return html`<a href=${addressOf(ids)}>${counted(runs.length, 'run')}</a>`;
};
const OF_JOB = [{head: 'Runs', cell: runsCell}, WHAT, STATE];
const LAST = [
  {head: 'Tags', cell: ({runs}) => [...new Set(runs.map(({tags}) => tagWords(tags)))].join(' ')},
  {head: 'Made', cell: run => html`<${When} at=${run.created_at} />`},
];

/** What is shown of the runs. */
function Choices({metrics, described, view, change}) {
  const names = ['', ...metrics];
  const curves = Object.fromEntries(metrics.map(name => [name, curveWords(name, described)]));
  const values = {label: 'Value of', names: {...curves, '': 'nothing'}, values: names};
  const which = {label: 'Which value', values: Object.keys(VALUES), names: VALUES};
  const orders = {label: 'Order', values: Object.keys(ORDERS), names: ORDERS};
  const toggle = (name, words) => html`<label>
    <${CheckBox} isOn=${view[name]} onToggle=${isOn => change({[name]: isOn})} />${` ${words}`}
  </label>`;
  return html`<div class="fields">
    <${Labelled} label="Filter" help="words of the job, its spec or tags">
      <input
        type="search"
        value=${view.words}
        onInput=${({target}) => change({words: target.value})}
      />
    <//>
    <${Select} ...${values} value=${view.metric} onSelect=${metric => change({metric})} />
    <${Select} ...${which} value=${view.which} onSelect=${one => change({which: one})} />
    <${Select} ...${orders} value=${view.order} onSelect=${order => change({order})} />
    <div>
      ${toggle('isByJob', 'one row for each job')}
      ${toggle('hasSpec', 'columns of what differs')}
    </div>
  </div>`;
}

function columnsOf(rows, {metric, hasSpec, isByJob}, {described, box}) {
  const value = metric && {head: curveWords(metric, described), isNumber: true, cell: valueWords};
  return [
    {head: '', cell: box},
    ...(isByJob ? OF_JOB : OF_RUN),
    ...(hasSpec ? specColumns(rows) : []),
    value,
    ...LAST,
  ].filter(Boolean);
}

/** Shows the chosen runs together; chooses all that the table shows. */
function Chosen({chosen, rows, setChosen}) {
  const all = idsOf(rows.flatMap(({runs}) => runs));
  const isAll = all.length > 0 && all.every(id => chosen.includes(id));
  const isTooMany = chosen.length > TOGETHER_MOST;
  const compare = () => {
    location.hash = addressOf(chosen);
  };
  return html`<div class="toolbar">
    <button class="primary" disabled=${!chosen.length || isTooMany} onClick=${compare}>
      Show ${chosen.length > 0 && `${chosen.length} `}together
    </button>
    <button hidden=${!all.length} onClick=${() => setChosen(isAll ? [] : all)}>
      ${isAll ? 'Choose none' : `Choose all ${all.length}`}
    </button>
    <span class="dim small">
      ${
        isTooMany
          ? `At most ${TOGETHER_MOST} can be shown together.`
          : 'Tick runs to see their curves in one chart.'
      }
    </span>
  </div>`;
}

export function Page() {
  const [chosen, setChosen] = useState([]);
  const [view, setView] = useState(WHOLE);
  const fields = view.metric ? `${FIELDS},${view.which}_values` : FIELDS;
  const {items, error, more} = usePages('/v1/runs', {fields}, POLL_MS);
  const {value: kinds} = useLoaded(loadJobKinds, []);
  const described = kinds?.flatMap(({curves}) => curves) ?? [];
  const rows = items && shownRows(items, view);
  const box = ({runs, id, job}) => html`<${CheckBox}
    aria-label=${view.isByJob ? `choose the runs of job ${job}` : `choose run ${id}`}
    isOn=${runs.every(run => chosen.includes(run.id))}
    onToggle=${isOn =>
      setChosen(chosen.filter(one => !idsOf(runs).includes(one)).concat(isOn ? idsOf(runs) : []))}
  />`;
  const columns = columnsOf(rows ?? [], view, {described, box});
  return html`
    <h1>Runs</h1>
    <section class="card tool">
      <${Choices}
        metrics=${metricsOf(items ?? [])}
        described=${described}
        view=${view}
        change=${changes => setView({...view, ...changes})}
      />
    </section>
    <${Chosen} chosen=${chosen} rows=${rows ?? []} setChosen=${setChosen} />
    <section class="card">
      <${Table}
        ...${{columns, error}}
        items=${rows}
        nothing=${items?.length ? NO_MATCH : NOTHING}
        kind="stack"
        label="Runs"
      />
    </section>
    <button hidden=${!more} onClick=${more}>Older runs</button>
  `;
}
