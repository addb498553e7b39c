import {Card} from '../parts/card.js';
import {html} from '../vendor/preact.js';

export const EventsCard = ({lines}) =>
  html`<${Card} title="As it happens" hidden=${!lines.length}>
    <pre aria-label="events" tabindex="0">${lines.join('\n')}</pre>
  <//>`;
