import {number} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {JobLink, When} from '../parts/cells.js';
import {ErrorBox} from '../parts/notes.js';
import {Facts, Properties} from '../parts/properties.js';
import {html} from '../vendor/preact.js';

const link = (id, k) => [k > 0 && ', ', html`<${JobLink} key=${id} id=${id} />`];
const links = ids => html`<span>${ids.map(link)}</span>`;

/** A row of links; null without any. */
const linkRow = (name, ids) => (ids.length ? [name, links(ids)] : null);

const IF_FAILED = {cancel: 'it is cancelled', run: 'it runs', pause: 'it is paused'};

export function StateCard({job}) {
  const rows = [
    job.owner ? ['owner', job.owner] : null,
    ['attempt', `${job.attempt} of ${job.max_attempts}`],
    ['priority', number(job.priority)],
    job.cores ? ['cores at most', number(job.cores)] : null,
    ['added', html`<${When} at=${job.created_at} />`],
    ['started', html`<${When} at=${job.started_at} />`],
    ['ended', html`<${When} at=${job.finished_at} />`],
    linkRow('after', job.after),
    job.after_failure ? ['if one fails', IF_FAILED[job.after_failure]] : null,
    linkRow('jobs after it', job.needed_by),
    linkRow('repeats', job.repeat_of === null ? [] : [job.repeat_of]),
    job.crashes ? ['crashes', number(job.crashes)] : null,
    job.checkpoint ? ['checkpoint', html`<${Properties} value=${job.checkpoint} />`] : null,
  ];
  const error = job.error && {title: job.error.code, detail: job.error.detail};
  return html`<${Card} title="State">
    <${Facts} rows=${rows} />
    ${error && html`<${ErrorBox} error=${error} />`}
  <//>`;
}
