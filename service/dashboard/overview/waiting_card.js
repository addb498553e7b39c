import {DASH} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Empty} from '../parts/empty.js';
import {Loading} from '../parts/loading.js';
import {Table} from '../parts/table.js';
import {html} from '../vendor/preact.js';
import {NameCell, WhatCell} from './job_cells.js';

const COLUMNS = [{head: 'Job'}, {head: 'What', wide: 'what'}, {head: 'Why it waits', wide: 'what'}];

function rowOf(job) {
  const why = job.state === 'paused' ? 'paused' : (job.waiting_because ?? DASH);
  return [html`<${NameCell} job=${job} />`, html`<${WhatCell} job=${job} />`, why];
}

/** jobs: undefined while they are not known. */
export function WaitingCard({jobs}) {
  const content = () => {
    if (!jobs) return html`<${Loading} />`;
    if (!jobs.length) return html`<${Empty}>The queue is empty.<//>`;
    return html`<${Table} columns=${COLUMNS} rows=${jobs.map(rowOf)} kind="stack" />`;
  };
  return html`<${Card} title="Waiting">${content()}<//>`;
}
