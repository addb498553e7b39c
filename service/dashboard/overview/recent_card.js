import {resultWords} from '../lib/result_words.js';
import {Card} from '../parts/card.js';
import {Empty} from '../parts/empty.js';
import {ErrorBox} from '../parts/error_box.js';
import {Loading} from '../parts/loading.js';
import {Table} from '../parts/table.js';
import {When} from '../parts/when.js';
import {html} from '../vendor/preact.js';
import {NameCell, WhatCell} from './job_cells.js';

const COLUMNS = [
  {head: 'Job'},
  {head: 'What', wide: 'what'},
  {head: 'Result', wide: 'what result'},
  {head: 'When'},
];

/** jobs and kinds: undefined while they are not known. */
export function RecentCard({jobs, kinds, error}) {
  const row = job => [
    html`<${NameCell} job=${job} />`,
    html`<${WhatCell} job=${job} />`,
    resultWords(
      job,
      kinds.find(kind => kind.name === job.kind),
    ),
    html`<${When} at=${job.finished_at} />`,
  ];
  const content = () => {
    if (error) return html`<${ErrorBox} error=${error} />`;
    if (!jobs) return html`<${Loading} />`;
    if (!jobs.length) return html`<${Empty}>No job has ended yet.<//>`;
    return html`<${Table} columns=${COLUMNS} rows=${jobs.map(row)} kind="stack" />`;
  };
  return html`<${Card} title="Recent results">${content()}<//>`;
}
