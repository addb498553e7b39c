import {DASH, number, words} from '../lib/format.js';
import {html} from '../vendor/preact.js';

const isSimple = value => value === null || typeof value !== 'object';

/** Any JSON as nested lists. */
export function Properties({value}) {
  if (value === true || value === false) return value ? 'yes' : 'no';
  if (isSimple(value)) return number(value);
  if (Array.isArray(value))
    return value.every(isSimple)
      ? value.map(item => number(item)).join(', ') || DASH
      : html`<ol>
          ${value.map(item => html`<li><${Properties} value=${item} /></li>`)}
        </ol>`;
  const members = Object.entries(value);
  if (members.length === 0) return DASH;
  return html`<dl>
    ${members.map(
      ([name, item]) => html`<dt>${words(name)}</dt><dd><${Properties} value=${item} /></dd>`,
    )}
  </dl>`;
}
