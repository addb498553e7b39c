// Notes on a page or a part of it: it is empty, loading, or failed.
import {html} from '../vendor/preact.js';

/** Says that a list is empty, and how to fill it. */
export const Empty = ({children}) => html`<p class="empty">${children}</p>`;

/** An error in the words of the service. */
export function ErrorBox({error}) {
  const detail = error.detail ?? (error.title ? '' : error.message);
  return html`<div class="error" role="alert">
    <b>${error.title ?? 'Something went wrong'}</b>${detail && `: ${detail}`}
    ${error.instance && html`<div class="small dim">request ${error.instance}</div>`}
  </div>`;
}

/** Mistakes in a request, each with the place it is at: [{pointer, message}]. */
export const FieldErrors = ({errors, nowhere = ''}) =>
  errors.map(
    ({pointer, message}) => html`<p class="field-error">${pointer || nowhere}: ${message}</p>`,
  );

/** Draws children(value) once the value is there. nothing: the text for an empty list. */
export function Loaded({value, error, nothing, children}) {
  if (error) return html`<${ErrorBox} error=${error} />`;
  if (!value) return html`<p class="empty loading" role="status">loading …</p>`;
  return nothing && !value.length ? html`<${Empty}>${nothing}<//>` : children(value);
}

const HOME = {href: '#/', words: 'To the overview'};

/** Draws a page as children(value) once its data is there. loaded: {value, error, reload()}. up:
 * where those go who find nothing: to ask again would not help. */
export function LoadedPage({title, loaded: {value, error, reload}, up = HOME, children}) {
  const isFailed = error && !value;
  return html`
    ${isFailed && html`<h1>${title}</h1>`}
    <${Loaded} value=${value} error=${isFailed && error}>${children}<//>
    ${
      isFailed &&
      html`<p>
        ${
          error.status === 404
            ? html`<a href=${up.href}>${up.words}</a>`
            : html`<button onClick=${reload}>Try again</button>`
        }
      </p>`
    }
  `;
}
