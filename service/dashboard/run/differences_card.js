import {shortId} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Table} from '../parts/table.js';
import {differences} from '../lib/run_rows.js';
import {html} from '../vendor/preact.js';

/** What was asked for differently by several runs. */
export function DifferencesCard({runs}) {
  const columns = [
    {head: 'Setting', cell: ({name}) => name},
    ...runs.map((run, k) => ({head: shortId(run.id), cell: ({values}) => values[k]})),
  ];
  return html`<${Card} title="What differs">
    <${Table}
      columns=${columns}
      items=${differences(runs)}
      id="name"
      nothing="Only their seeds."
      label="What differs"
    />
  <//>`;
}
