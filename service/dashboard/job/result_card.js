import {hasEnded} from '../lib/job_states.js';
import {Card, Fold} from '../parts/card.js';
import {Empty} from '../parts/notes.js';
import {Properties} from '../parts/properties.js';
import {html} from '../vendor/preact.js';
import {ResultView} from './result_view.js';

const Result = ({job, kind}) => html`
  ${kind?.result.map(view => html`<${ResultView} view=${view} job=${job} />`)}
  <${Fold} title="All of it"><${Properties} value=${job.result} /><//>
  <${Fold} title="As JSON"><pre>${JSON.stringify(job.result, null, 1)}</pre><//>
`;

/** What a job has found: first what its kind shows, then all of it. */
export function ResultCard({job, kind}) {
  const nothing = hasEnded(job) ? 'It ended without a result.' : 'Not yet.';
  return html`<${Card} title="Result">
    ${job.result ? html`<${Result} job=${job} kind=${kind} />` : html`<${Empty}>${nothing}<//>`}
  <//>`;
}
