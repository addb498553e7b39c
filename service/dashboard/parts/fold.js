import {html} from '../vendor/preact.js';

/** Something that is shown on demand. */
export const Fold = ({title, children}) =>
  html`<details><summary>${title}</summary>${children}</details>`;
