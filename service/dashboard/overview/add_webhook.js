import {post} from '../lib/api.js';
import {ENDED, STATE_NAMES} from '../lib/job_states.js';
import {CheckBox, Labelled} from '../parts/inputs.js';
import {ErrorBox, FieldErrors} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';

/** A form for a new webhook; shows its secret, which the service does not show again. */
export function AddWebhook({onAdded}) {
  const [url, setUrl] = useState('');
  const [states, setStates] = useState(ENDED);
  const [added, setAdded] = useState(null);
  const [problem, setProblem] = useState(null);
  const toggle = (state, isOn) =>
    setStates(ENDED.filter(one => (one === state ? isOn : states.includes(one))));
  const send = async event => {
    event.preventDefault();
    setProblem(null);
    setAdded(null);
    try {
      setAdded(await post('/v1/webhooks', {url, states}));
      setUrl('');
      onAdded();
    } catch (error) {
      setProblem(error);
    }
  };
  const box = state => html`<label>
    <${CheckBox} isOn=${states.includes(state)} onToggle=${isOn => toggle(state, isOn)} />
    ${STATE_NAMES[state]}
  </label>`;
  return html`<form class="add-webhook" onSubmit=${send}>
    <${Labelled} label="URL" help="http or https; a POST goes there when a job ends">
      <input type="url" required value=${url} onInput=${({target}) => setUrl(target.value)} />
    <//>
    <fieldset>
      <legend>Tell of jobs that are</legend>
      ${ENDED.map(box)}
    </fieldset>
    <button class="primary">Add</button>
    ${problem?.errors && html`<${FieldErrors} errors=${problem.errors} />`}
    ${problem && !problem.errors && html`<${ErrorBox} error=${problem} />`}
    ${
      added &&
      html`<p role="status">
      The secret that signs its messages, shown only now: <code>${added.secret}</code>
    </p>`
    }
  </form>`;
}
