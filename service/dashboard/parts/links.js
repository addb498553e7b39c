import {html} from '../vendor/preact.js';

export const JobLink = ({id}) => html`<a href="#/job/${id}">${`${id}`}</a>`;

/** A player may be long: it is cut by the caller. */
export const MatchLink = ({id, children}) => html`<a href="#/games/${id}">${children ?? id}</a>`;
