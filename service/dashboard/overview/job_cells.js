// Cells that the tables of the overview share.
import {jobWords} from '../lib/job_words.js';
import {JobLink} from '../parts/links.js';
import {StateBadge} from '../parts/state_badge.js';
import {html} from '../vendor/preact.js';

export const NameCell = ({job}) =>
  html`<span><${JobLink} id=${job.id} /> <${StateBadge} state=${job.state} /></span>`;

export const WhatCell = ({job}) => html`<b>${job.kind}</b>${` ${jobWords(job.kind, job.spec)}`}`;
