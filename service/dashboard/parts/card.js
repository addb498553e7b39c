import {html} from '../vendor/preact.js';

/** A box with a heading. */
export function Card({title, hidden, children}) {
  return html`<section class="card" hidden=${hidden}>
    ${title && html`<h2>${title}</h2>`}
    <div>${children}</div>
  </section>`;
}
