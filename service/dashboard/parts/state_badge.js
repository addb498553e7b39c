import {STATE_NAMES} from '../lib/job_states.js';
import {html} from '../vendor/preact.js';

export const StateBadge = ({state}) =>
  html`<span class="state ${state}">${STATE_NAMES[state] ?? state}</span>`;
