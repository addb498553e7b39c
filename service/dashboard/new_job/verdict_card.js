import {number} from '../lib/format.js';
import {Card} from '../parts/card.js';
import {Empty, ErrorBox, FieldErrors} from '../parts/notes.js';
import {Properties} from '../parts/properties.js';
import {html} from '../vendor/preact.js';
import {EstimateLine} from './estimate_line.js';

const REFUSED = 422;

function missingWords(errors) {
  const count = errors.filter(({code}) => code === 'missing').length;
  if (!count) return 'Some fields are wrong; see there.';
  return `${number(count)} ${count === 1 ? 'field is' : 'fields are'} still needed.`;
}

function Refusal({error, left}) {
  const errors = error.errors ?? [];
  if (error.status !== REFUSED || !errors.length) return html`<${ErrorBox} error=${error} />`;
  return html`
    <p class="dim">${missingWords(errors)}</p>
    <${FieldErrors} errors=${left} />
  `;
}

/** What would happen with a job: {value} or {error}. left: errors that stand at no field. */
export function VerdictCard({verdict: {value: answer, error}, left, kind, request}) {
  const content = () => {
    if (error) return html`<${Refusal} error=${error} left=${left} />`;
    if (!answer) return html`<${Empty}>Fill in the form.<//>`;
    return html`
      <${EstimateLine} key=${JSON.stringify(request)} ...${{answer, kind, request}} />
      <h3>With all defaults</h3>
      <${Properties} value=${answer.spec} />
    `;
  };
  return html`<${Card} title="What would happen">${content()}<//>`;
}
