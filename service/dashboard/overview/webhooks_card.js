import {get, post, remove} from '../lib/api.js';
import {STATE_NAMES} from '../lib/job_states.js';
import {usePolled} from '../lib/use_poll.js';
import {Card, Fold} from '../parts/card.js';
import {JobLink, When} from '../parts/cells.js';
import {ConfirmDialog} from '../parts/confirm_dialog.js';
import {ErrorBox} from '../parts/notes.js';
import {Table} from '../parts/table.js';
import {html, useState} from '../vendor/preact.js';
import {AddWebhook} from './add_webhook.js';

const POLL_MS = 5000;
const SHOWN = 10; // deliveries of a webhook

const DELIVERY_COLUMNS = [
  {head: 'When', cell: ({updated_at: at}) => html`<${When} at=${at} />`},
  {head: 'What', cell: ({type, job}) => (job ? html`${type} <${JobLink} id=${job} />` : type)},
  {head: 'State', cell: ({state, tries}) => (tries > 1 ? `${state}, ${tries} tries` : state)},
  {head: 'Answer', wide: 'what', cell: ({status, reason}) => reason ?? status},
];

/** What was or will be sent, newest first. */
function Deliveries({id}) {
  const path = `/v1/webhooks/${id}/deliveries?limit=${SHOWN}`;
  const {value, error} = usePolled(signal => get(path, {signal}), POLL_MS);
  return html`<${Table}
    columns=${DELIVERY_COLUMNS}
    items=${value?.items}
    error=${value ? null : error}
    nothing="Nothing was sent yet."
  />`;
}

/** Its address, what waits, and what can be done with it. */
function Webhook({hook, onProblem, onChange}) {
  const [isOpen, setOpen] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const act = async send => {
    onProblem(null);
    try {
      await send();
      onChange();
    } catch (error) {
      onProblem(error);
    }
  };
  const test = () => act(() => post(`/v1/webhooks/${hook.id}/test`)).then(() => setOpen(true));
  const answer = isYes => {
    setAsked(false);
    if (isYes) act(() => remove(`/v1/webhooks/${hook.id}`));
  };
  const states = hook.states.map(state => STATE_NAMES[state]).join(', ');
  return html`<div class="job" role="group" aria-label=${`Webhook ${hook.id}`}>
    <div class="top row">
      <span class="what">${hook.about || hook.url}</span>
      <span class="dim small">${states}</span>
    </div>
    ${hook.about && html`<p class="dim small">${hook.url}</p>`}
    ${hook.waiting > 0 && html`<p class="small">${hook.waiting} waiting</p>`}
    ${
      hook.dropped > 0 &&
      html`<p class="field-error">${hook.dropped} dropped, because too many waited</p>`
    }
    <div class="buttons">
      <button aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>Deliveries</button>
      <button onClick=${test}>Test</button>
      <button class="danger" onClick=${() => setAsked(true)}>Delete</button>
    </div>
    ${isOpen && html`<${Deliveries} id=${hook.id} />`}
    ${
      isAsked &&
      html`<${ConfirmDialog}
      question="Delete this webhook? What waits for it is not sent."
      label="Delete"
      onAnswer=${answer}
    />`
    }
  </div>`;
}

/** The addresses that are told when a job ends; hidden until they are known, and from users who may
 * not see them. */
export function WebhooksCard() {
  const {value, error, reload} = usePolled(signal => get('/v1/webhooks', {signal}), POLL_MS);
  const [problem, setProblem] = useState(null);
  const items = error?.status === 403 ? null : value?.items;
  return html`<${Card} title="Webhooks" hidden=${!items}>
    ${problem && html`<${ErrorBox} error=${problem} />`}
    ${items?.length === 0 && html`<p class="empty">Nobody is told when a job ends.</p>`}
    ${items?.map(
      hook => html`<${Webhook}
        key=${hook.id}
        hook=${hook}
        onProblem=${setProblem}
        onChange=${reload}
      />`,
    )}
    <${Fold} title="Add a webhook"><${AddWebhook} onAdded=${reload} /><//>
  <//>`;
}
