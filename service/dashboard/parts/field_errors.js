import {html} from '../vendor/preact.js';

/** Mistakes in a request, each with the place it is at: [{pointer, message}]. */
export const FieldErrors = ({errors, nowhere = ''}) =>
  errors.map(
    ({pointer, message}) => html`<p class="field-error">${pointer || nowhere}: ${message}</p>`,
  );
