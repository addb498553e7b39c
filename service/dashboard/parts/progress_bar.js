import {html} from '../vendor/preact.js';

/** share: 0 to 1, or null where it is not known. The keys keep the two apart: the value of a
 * progress element cannot be taken away. */
export const ProgressBar = ({share, label, hidden}) =>
  typeof share === 'number'
    ? html`<progress key="known" max="1" value=${share} aria-label=${label} hidden=${hidden} />`
    : html`<progress key="unknown" max="1" aria-label=${label} hidden=${hidden} />`;
