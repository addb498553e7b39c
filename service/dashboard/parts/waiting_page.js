import {html} from '../vendor/preact.js';
import {ErrorBox} from './error_box.js';
import {Loading} from './loading.js';

/** A page whose data is not there: it is coming, or it could not be had. loaded: of useLoaded. */
export function WaitingPage({title, loaded}) {
  if (!loaded.error) return html`<${Loading} />`;
  return html`
    <h1>${title}</h1>
    <${ErrorBox} error=${loaded.error} />
    <p><button onClick=${loaded.reload}>Try again</button></p>
  `;
}
