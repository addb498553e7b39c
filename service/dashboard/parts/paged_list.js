import {html} from '../vendor/preact.js';
import {Empty} from './empty.js';
import {ErrorBox} from './error_box.js';
import {Loading} from './loading.js';

const Trouble = ({error}) =>
  error.status === 404
    ? html`<${Empty}>The records of these games are gone.<//>`
    : html`<${ErrorBox} error=${error} />`;

/** The items of useList(), drawn by children(items), with a button for those that follow. */
export function PagedList({list, children}) {
  const {items, error, next, busy} = list;
  return html`
    <div>${error ? null : items ? children(items) : html`<${Loading} />`}</div>
    ${error && html`<${Trouble} error=${error} />`}
    <button hidden=${!next} disabled=${busy} onClick=${next}>More</button>
  `;
}
