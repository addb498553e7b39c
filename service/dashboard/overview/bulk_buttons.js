import {post} from '../lib/api.js';
import {counted} from '../lib/format.js';
import {ENDED, STATE_NAMES} from '../lib/job_states.js';
import {ConfirmDialog} from '../parts/confirm_dialog.js';
import {Select} from '../parts/inputs.js';
import {ErrorBox} from '../parts/notes.js';
import {html, useState} from '../vendor/preact.js';

const ANY = '';
const WAITING = ['ready', 'paused'];

/** What a list can have done to it: the route, the word on the button, and the states. */
const CANCEL = {name: 'cancel', label: 'Cancel', states: WAITING, question: 'End'};
const DELETE = {name: 'delete', label: 'Delete', states: ENDED, question: 'Delete'};

const jobs = count => counted(count, 'job');

/** The body of a request; all of its conditions are empty: all jobs. */
function filter({state, kind}) {
  const given = {...(state && {state}), ...(kind && {kind})};
  return Object.keys(given).length ? given : {all: true};
}

/** The choice of jobs of a list, and a button that moves them all after a question with their
 * number. kinds: undefined while they are not known. */
function BulkButtons({action, kinds = [], onDone}) {
  const [choice, setChoice] = useState({state: action.states[0], kind: ANY});
  const [asked, setAsked] = useState(null); // how many, while the question is open
  const [problem, setProblem] = useState(null);
  const send = async more => {
    setProblem(null);
    try {
      return await post(`/v1/jobs/${action.name}`, {...filter(choice), ...more});
    } catch (error) {
      setProblem(error);
      return null;
    }
  };
  const ask = async () => setAsked((await send({dry_run: true}))?.count ?? null);
  const answer = async isYes => {
    setAsked(null);
    if (isYes && (await send({}))) onDone();
  };
  const set = name => value => setChoice(now => ({...now, [name]: value}));
  const names = kinds.filter(({internal}) => !internal).map(({name}) => name);
  return html`<div class="toolbar">
    <${Select}
      aria-label="state of the jobs to ${action.name}"
      values=${action.states}
      names=${STATE_NAMES}
      value=${choice.state}
      onSelect=${set('state')}
    />
    <${Select}
      aria-label="kind of the jobs to ${action.name}"
      values=${[ANY, ...names]}
      names=${{[ANY]: 'any kind'}}
      value=${choice.kind}
      onSelect=${set('kind')}
    />
    <button class="danger" onClick=${ask}>${action.label} all of them</button>
    ${asked === 0 && html`<span class="dim" role="status">There are none.</span>`}
    ${
      asked > 0 &&
      html`<${ConfirmDialog}
        question=${`${action.question} ${jobs(asked)}?`}
        label=${`${action.question} ${jobs(asked)}`}
        keep="Keep all jobs"
        onAnswer=${answer}
      />`
    }
    ${problem && html`<${ErrorBox} error=${problem} />`}
  </div>`;
}

export const CancelMany = props => html`<${BulkButtons} ...${props} action=${CANCEL} />`;
export const DeleteMany = props => html`<${BulkButtons} ...${props} action=${DELETE} />`;
