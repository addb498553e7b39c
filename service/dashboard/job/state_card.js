import {number} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {When} from '../parts/cells.js';
import {ErrorBox} from '../parts/notes.js';
import {Facts, Properties} from '../parts/properties.js';
import {html} from '../vendor/preact.js';

export function StateCard({job}) {
  const rows = [
    ['attempt', `${job.attempt} of ${job.max_attempts}`],
    ['priority', number(job.priority)],
    ['added', html`<${When} at=${job.created_at} />`],
    ['started', html`<${When} at=${job.started_at} />`],
    ['ended', html`<${When} at=${job.finished_at} />`],
    job.crashes ? ['crashes', number(job.crashes)] : null,
    job.checkpoint ? ['checkpoint', html`<${Properties} value=${job.checkpoint} />`] : null,
  ];
  const error = job.error && {title: job.error.code, detail: job.error.detail};
  return html`<${Card} title="State">
    <${Facts} rows=${rows} />
    ${error && html`<${ErrorBox} error=${error} />`}
  <//>`;
}
