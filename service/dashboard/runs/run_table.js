import {number, shortId} from '../lib/format.js';
import {jobWords} from '../lib/job_words.js';
import {StateBadge, When} from '../parts/cells.js';
import {CheckBox} from '../parts/inputs.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';

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

/** items, error: see Loaded. chosen: ids; onChoose(id, isChosen). */
export function RunTable({items, error, chosen, onChoose}) {
  const box = ({id}) => html`<${CheckBox}
    aria-label="choose run ${id}"
    isOn=${chosen.includes(id)}
    onToggle=${isOn => onChoose(id, isOn)}
  />`;
  const columns = [{head: '', cell: box}, ...COLUMNS];
  return html`<${Table} ...${{columns, items, error}} nothing=${NOTHING} kind="stack" />`;
}
