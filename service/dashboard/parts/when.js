import {DASH, duration} from '../lib/format.js';
import {html} from '../vendor/preact.js';

const DAY_S = 86400;

function wordsOf(time) {
  const ago_s = (Date.now() - time) / 1000;
  if (ago_s < 5) return 'now';
  return ago_s < DAY_S ? `${duration(ago_s)} ago` : time.toLocaleDateString();
}

/** A moment as the time since then; `at` is a date of the API, or null. */
export function When({at}) {
  if (!at) return DASH;
  const time = new Date(at);
  return html`<time datetime=${at} title=${time.toLocaleString()}>${wordsOf(time)}</time>`;
}
