// All runs; some of them can be looked at together.
import {number, shortId} from '../lib/format.js';
import {jobWords} from '../lib/job_words.js';
import {usePages} from '../lib/use_pages.js';
import {StateBadge, When} from '../parts/cells.js';
import {CheckBox} from '../parts/inputs.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';

const POLL_MS = 5000;
const SPEC = ['algorithm', 'reward', 'profile', 'iterations', 'from', 'seconds'];
const FIELDS = [
  ...['id', 'job', 'kind', 'state', 'seed', 'tags', 'metrics', 'created_at'],
  ...SPEC.map(name => `spec.${name}`),
].join();
const NOTHING = 'There are no runs yet. Jobs that train or diagnose leave runs behind.';

const whatCell = ({kind, spec, job}) => html`<b>${kind}</b>
  ${` ${jobWords(kind, spec)} `}
  <a class="small" href="#/job/${job}">job ${job}</a>`;

const tagWords = tags =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

const COLUMNS = [
  {head: 'Run', cell: ({id}) => html`<a href="#/run/${id}">${shortId(id)}</a>`},
  {head: 'What', wide: 'what', cell: whatCell},
  {head: 'State', cell: ({state}) => html`<${StateBadge} state=${state} />`},
  {head: 'Seed', isNumber: true, cell: ({seed}) => number(seed)},
  {head: 'Curves', isNumber: true, cell: ({metrics}) => number(metrics.length)},
  {head: 'Tags', cell: ({tags}) => tagWords(tags)},
  {head: 'Made', cell: run => html`<${When} at=${run.created_at} />`},
];

export function Page() {
  const {items, error, more} = usePages('/v1/runs', {fields: FIELDS}, POLL_MS);
  const [chosen, setChosen] = useState([]);
  const box = ({id}) => html`<${CheckBox}
    aria-label="choose run ${id}"
    isOn=${chosen.includes(id)}
    onToggle=${isOn => setChosen(chosen.filter(one => one !== id).concat(isOn ? id : []))}
  />`;
  const columns = [{head: '', cell: box}, ...COLUMNS];
  const compare = () => {
    location.hash = `#/run/${chosen.join(',')}`;
  };
  return html`
    <h1>Runs</h1>
    <div class="toolbar">
      <button class="primary" disabled=${!chosen.length} onClick=${compare}>Show together</button>
      <span class="dim small">Tick runs to see their curves in one chart.</span>
    </div>
    <section class="card">
      <${Table} ...${{columns, items, error}} nothing=${NOTHING} kind="stack" />
    </section>
    <button hidden=${!more} onClick=${more}>Older runs</button>
  `;
}
