import {post, remove} from '../lib/api.js';
import {ENDED} from '../lib/job_states.js';
import {html} from '../vendor/preact.js';
import {ActionButtons} from './action_buttons.js';

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

/** Buttons for the actions that the state of a job allows; see ActionButtons. */
export const JobButtons = ({id, state, onProblem, onDone}) =>
  html`<${ActionButtons}
    actions=${ACTIONS.filter(({states}) => states.includes(state))}
    send=${action => send(action, id)}
    ...${{onProblem, onDone}}
  />`;
