import {isAbort, post} from '../lib/api.js';
import {duration} from '../lib/format.js';
import {useAbort} from '../lib/use_loaded.js';
import {ErrorBox} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';

const TRY = {Prefer: 'wait=60'}; // the service does a few seconds of it

const about = (seconds, unknown) => (seconds === null ? unknown : `about ${duration(seconds)}`);

/** How long a job would take; kinds that can be tried out have a button for it. */
export function EstimateLine({answer, kind, request}) {
  const signal = useAbort();
  const [tried, setTried] = useState({});
  const tryOut = async () => {
    setTried({busy: true, text: '… (being tried out)'});
    try {
      const body = {...request, dry_run: true};
      const {estimate_s: seconds} = await post('/v1/jobs', body, {signal, headers: TRY});
      setTried({text: about(seconds, 'a time that could not be found out')});
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
      ${kind.can_be_tried && button}
    </p>
    ${tried.error && html`<${ErrorBox} error=${tried.error} />`}
  `;
}
