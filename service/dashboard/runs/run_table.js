import {number, shortId} from '../lib/format.js';
import {jobWords} from '../lib/job_words.js';
import {Empty} from '../parts/empty.js';
import {StateBadge} from '../parts/state_badge.js';
import {Table} from '../parts/table.js';
import {When} from '../parts/when.js';
import {html} from '../vendor/preact.js';

const COLUMNS = [
  {head: ''},
  {head: 'Run'},
  {head: 'What', wide: 'what'},
  {head: 'State'},
  {head: 'Seed', isNumber: true},
  {head: 'Curves', isNumber: true},
  {head: 'Tags'},
  {head: 'Made'},
];

const What = ({run}) => html`<b>${run.kind}</b>
  ${` ${jobWords(run.kind, run.spec)} `}
  <a class="small" href="#/job/${run.job}">job ${run.job}</a>`;

const tagWords = tags =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** chosen: ids; onChoose(id, isChosen). */
export function RunTable({items, chosen, onChoose}) {
  if (!items.length)
    return html`<${Empty}>
      There are no runs yet. Jobs that train or diagnose leave runs behind.
    <//>`;
  const row = run => [
    html`<input
      type="checkbox"
      aria-label="choose run ${run.id}"
      checked=${chosen.includes(run.id)}
      onChange=${({target}) => onChoose(run.id, target.checked)}
    />`,
    html`<a href="#/run/${run.id}">${shortId(run.id)}</a>`,
    html`<${What} run=${run} />`,
    html`<${StateBadge} state=${run.state} />`,
    number(run.seed),
    number(run.metrics.length),
    tagWords(run.tags),
    html`<${When} at=${run.created_at} />`,
  ];
  return html`<${Table} columns=${COLUMNS} rows=${items.map(row)} kind="stack" />`;
}
