import {isAbort, post} from '../lib/api.js';
import {counted, duration} from '../lib/format.js';
import {useAbort} from '../lib/use_loaded.js';
import {Card} from '../parts/card.js';
import {Empty, ErrorBox, FieldErrors} from '../parts/notes.js';
import {Properties} from '../parts/properties.js';
import {html, useState} from '../vendor/preact.js';

const TRY = {Prefer: 'wait=60'}; // the service does a few seconds of it
const REFUSED = 422;

const about = (seconds, unknown) => (seconds === null ? unknown : `about ${duration(seconds)}`);

/** The estimated time of a job, with a button to try it out where its kind allows that. */
function EstimateLine({answer, kind, request}) {
  const signal = useAbort();
  const [tried, setTried] = useState({});
  const tryOut = async () => {
    setTried({busy: true, text: '… (being tried out)'});
    try {
      const body = {...request, dry_run: true};
      const {estimate_s: seconds, estimate_basis: basis} = await post('/v1/jobs', body, {
        signal,
        headers: TRY,
      });
      setTried({text: about(seconds, 'a time that could not be found out'), basis});
    } catch (error) {
      if (!isAbort(error)) setTried({error});
    }
  };
  const button = html`<button type="button" disabled=${tried.busy} onClick=${tryOut}>
    Try it out
  </button>`;
  return html`
    <p>
      It would take <b>${tried.text ?? about(answer.estimate_s, 'an unknown time')}</b>.${' '}
      <span class="dim">(${tried.basis ?? answer.estimate_basis})</span>${' '}
      ${kind.can_be_tried && button}
    </p>
    ${tried.error && html`<${ErrorBox} error=${tried.error} />`}
  `;
}

function missingWords(errors) {
  const count = errors.filter(({code}) => code === 'missing').length;
  if (!count) return 'Some fields are wrong; see there.';
  return `${counted(count, 'field is', 'fields are')} still needed.`;
}

function Refusal({error, left}) {
  const errors = error.errors ?? [];
  if (error.status !== REFUSED || !errors.length) return html`<${ErrorBox} error=${error} />`;
  return html`
    <p class="dim">${missingWords(errors)}</p>
    <${FieldErrors} errors=${left} />
  `;
}

/** The verdict on a job: {value} or {error}. left: errors without a field. */
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
