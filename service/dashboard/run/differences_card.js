import {number, shortId} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Table} from '../parts/table.js';
import {differences} from './run_rows.js';
import {html} from '../vendor/preact.js';

const ABREAST = 8; // runs that stand side by side; more stand below each other

/** A row for each setting, a column for each run. */
const bySetting = (runs, found) => ({
  id: 'name',
  columns: [
    {head: 'Setting', cell: ({name}) => name},
    ...runs.map((run, k) => ({head: shortId(run.id), cell: ({values}) => values[k]})),
  ],
  items: found,
});

/** A row for each run, a column for each setting. */
const byRun = (runs, found) => ({
  id: 'id',
  columns: [
    {head: 'Run', cell: ({id}) => html`<a href="#/run/${id}">${shortId(id)}</a>`},
    {head: 'Seed', isNumber: true, cell: ({seed}) => number(seed)},
    ...found.map(({name, values}) => ({head: name, cell: (run, k) => values[k]})),
  ],
  items: runs,
});

/** What was asked for differently by several runs. */
export function DifferencesCard({runs}) {
  const found = differences(runs);
  const table = (runs.length > ABREAST ? byRun : bySetting)(runs, found);
  return html`<${Card} title="What differs">
    <${Table}
      ...${table}
      items=${found.length ? table.items : []}
      nothing="Only their seeds."
      label="What differs"
    />
  <//>`;
}
