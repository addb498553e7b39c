// What a page says of itself: nothing is there, it is coming, it went wrong.
import {html} from '../vendor/preact.js';

/** Says that there is nothing, and how something gets there. */
export const Empty = ({children}) => html`<p class="empty">${children}</p>`;

/** What went wrong, in the words of the service. */
export function ErrorBox({error}) {
  const detail = error.detail ?? (error.title ? '' : error.message);
  return html`<div class="error" role="alert">
    <b>${error.title ?? 'Something went wrong'}</b>: ${detail}
    ${error.instance && html`<div class="small dim">request ${error.instance}</div>`}
  </div>`;
}

/** Mistakes in a request, each with the place it is at: [{pointer, message}]. */
export const FieldErrors = ({errors, nowhere = ''}) =>
  errors.map(
    ({pointer, message}) => html`<p class="field-error">${pointer || nowhere}: ${message}</p>`,
  );

/** What children(value) draws, once the value is there. nothing: what to say of an empty list. */
export function Loaded({value, error, nothing, children}) {
  if (error) return html`<${ErrorBox} error=${error} />`;
  if (!value) return html`<p class="empty loading" role="status">loading …</p>`;
  return nothing && !value.length ? html`<${Empty}>${nothing}<//>` : children(value);
}

/** A page that children(value) draws, once its data is there. loaded: {value, error, reload()}. */
export function LoadedPage({title, loaded: {value, error, reload}, children}) {
  const isFailed = error && !value;
  return html`
    ${isFailed && html`<h1>${title}</h1>`}
    <${Loaded} value=${value} error=${isFailed && error}>${children}<//>
    ${isFailed && html`<p><button onClick=${reload}>Try again</button></p>`}
  `;
}
