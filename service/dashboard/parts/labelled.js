import {html} from '../vendor/preact.js';

/** An input with its label and a line of help. */
export const Labelled = ({label, help, children}) =>
  html`<label>${label}${children}${help && html`<p class="help">${help}</p>`}</label>`;
