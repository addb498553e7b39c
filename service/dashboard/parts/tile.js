import {html} from '../vendor/preact.js';

/** A large figure with what it is. */
export const Tile = ({value, label, hint}) =>
  html`<div class="tile"><b title=${hint}>${value}</b><span>${label}</span></div>`;
