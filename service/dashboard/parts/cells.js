// Small things in lines of text and cells of tables.
import {DASH, day, duration, moment, playerName} from '../lib/format.js';
import {STATE_NAMES} from '../lib/job_states.js';
import {html} from '../vendor/preact.js';

const DAY_S = 86400;

export const JobLink = ({id}) => html`<a href="#/job/${id}">${`${id}`}</a>`;

/** The caller cuts the names of players: they may be long. */
export const MatchLink = ({id, children}) => html`<a href="#/games/${id}">${children ?? id}</a>`;

/** A player whose name is broken, where it must be, before its settings. */
export const Player = ({name}) =>
  playerName(name)
    .split(/(?<=[:,|])/)
    .map((part, k) => [k > 0 && html`<wbr />`, part]);

export const StateBadge = ({state}) =>
  html`<span class="state ${state}">${STATE_NAMES[state] ?? state}</span>`;

/** share: 0 to 1, or null where it is not known. The keys keep the two apart: the value of a
 * progress element cannot be taken away. */
export const ProgressBar = ({share, label, hidden}) =>
  typeof share === 'number'
    ? html`<progress key="known" max="1" value=${share} aria-label=${label} hidden=${hidden} />`
    : html`<progress key="unknown" max="1" aria-label=${label} hidden=${hidden} />`;

function timeWords(time) {
  const ago_s = (Date.now() - time) / 1000;
  if (ago_s < 5) return 'now';
  return ago_s < DAY_S ? `${duration(ago_s)} ago` : day(time);
}

/** A moment as the time since then; `at` is a date of the API, or null. */
export function When({at}) {
  if (!at) return DASH;
  const time = new Date(at);
  return html`<time datetime=${at} title=${moment(time)}>${timeWords(time)}</time>`;
}
