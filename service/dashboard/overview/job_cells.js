// Columns that the tables of the overview share.
import {jobWords} from '../lib/job_words.js';
import {JobLink, StateBadge} from '../parts/cells.js';
import {html} from '../vendor/preact.js';

const nameCell = ({id, state}) =>
  html`<span><${JobLink} id=${id} /> <${StateBadge} state=${state} /></span>`;

const whatCell = ({kind, spec}) => html`<b>${kind}</b>${` ${jobWords(kind, spec)}`}`;

export const JOB_COLUMNS = [
  {head: 'Job', cell: nameCell},
  {head: 'What', wide: 'what', cell: whatCell},
];
