import {Card} from '../parts/card.js';
import {When} from '../parts/cells.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {JOB_COLUMNS} from './job_cells.js';
import {resultWords} from './result_words.js';

/** jobs and kinds: undefined while they are not known. */
export function RecentCard({jobs, kinds, error}) {
  const kindOf = job => kinds.find(({name}) => name === job.kind);
  const columns = [
    ...JOB_COLUMNS,
    {head: 'Result', wide: 'what result', cell: job => resultWords(job, kindOf(job))},
    {head: 'When', cell: job => html`<${When} at=${job.finished_at} />`},
  ];
  const nothing = 'No job has ended yet.';
  return html`<${Card} title="Recent results">
    <${Table} ...${{columns, error, nothing}} items=${jobs} kind="stack" />
  <//>`;
}
