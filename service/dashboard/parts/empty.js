import {html} from '../vendor/preact.js';

/** Says that there is nothing, and how something gets there. */
export const Empty = ({children}) => html`<p class="empty">${children}</p>`;
