import {html} from '../vendor/preact.js';

/** A box with a heading. isTool: it is to work with, and is not printed. */
export const Card = ({title, hidden, isTool, children}) => html`<section
  class=${isTool ? 'card tool' : 'card'}
  hidden=${hidden}
>
  ${title && html`<h2>${title}</h2>`}
  <div>${children}</div>
</section>`;

/** A part that opens on demand. */
export const Fold = ({title, children}) =>
  html`<details><summary>${title}</summary>${children}</details>`;

/** A large figure with its label. */
export const Tile = ({value, label, hint}) =>
  html`<div class="tile">
    <b title=${hint}>${value}</b><span class="dim small">${label}</span>
  </div>`;
