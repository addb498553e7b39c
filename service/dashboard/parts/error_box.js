import {html} from '../vendor/preact.js';

/** What went wrong, in the words of the service. */
export function ErrorBox({error}) {
  const detail = error.detail ?? (error.title ? '' : error.message);
  return html`<div class="error" role="alert">
    <b>${error.title ?? 'Something went wrong'}</b>: ${detail}
    ${error.instance && html`<div class="small dim">request ${error.instance}</div>`}
  </div>`;
}
