import {html} from '../vendor/preact.js';

const Fact = ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`;

/** A list of [name, value]; rows that are null are left out. */
export const Facts = ({rows}) => html`<dl>${rows.filter(Boolean).map(Fact)}</dl>`;
