import {post, remove} from '../lib/api.js';
import {ENDED} from '../lib/job_states.js';
import {html, useState} from '../vendor/preact.js';
import {ConfirmDialog} from './confirm_dialog.js';

// The actions by the states that allow them; the service has the last word.
const ACTIONS = [
  {name: 'pause', label: 'Pause', states: ['ready', 'leased']},
  {name: 'resume', label: 'Resume', states: ['paused'], look: 'primary'},
  {name: 'kick', label: 'Try again', states: ['buried'], look: 'primary'},
  {
    name: 'cancel',
    label: 'Cancel',
    states: ['ready', 'leased', 'paused'],
    look: 'danger',
    confirm: {
      question: 'End this job? What it has found so far is kept.',
      label: 'End the job',
      keep: 'Let it go on',
    },
  },
  {
    name: 'delete',
    label: 'Delete',
    states: ENDED,
    look: 'danger',
    confirm: {
      question: 'Delete this job, with its runs, matches and records?',
      label: 'Delete it for good',
      keep: 'Keep it',
    },
  },
];

const send = ({name}, id) =>
  name === 'delete' ? remove(`/v1/jobs/${id}`) : post(`/v1/jobs/${id}/${name}`);

/** Buttons for the actions that the state of a job allows. onProblem(error or null);
 * onDone(name of the action) is called after success. */
export function JobButtons({id, state, onProblem, onDone}) {
  const [busy, setBusy] = useState(null);
  const [asked, setAsked] = useState(null); // the action that waits for an answer
  const act = async action => {
    setBusy(action.name);
    onProblem(null);
    try {
      await send(action, id);
      await onDone(action.name);
    } catch (error) {
      onProblem(error);
    }
    setBusy(null);
  };
  const answer = isYes => {
    setAsked(null);
    if (isYes) act(asked);
  };
  const button = action => html`<button
    key=${action.name}
    class=${action.look}
    disabled=${busy === action.name}
    onClick=${() => (action.confirm ? setAsked(action) : act(action))}
  >
    ${action.label}
  </button>`;
  return html`
    ${ACTIONS.filter(({states}) => states.includes(state)).map(button)}
    ${asked && html`<${ConfirmDialog} ...${asked.confirm} onAnswer=${answer} />`}
  `;
}
