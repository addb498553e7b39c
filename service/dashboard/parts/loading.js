import {html} from '../vendor/preact.js';

export const Loading = () => html`<p class="loading" role="status">loading …</p>`;
