import {DASH, fieldWords, number} from '../lib/format.js';
import {html} from '../vendor/preact.js';

const isSimple = value => value === null || typeof value !== 'object';

/** Whether an object says nothing, as limits that are not set. */
const isEmpty = value =>
  !isSimple(value) && !Array.isArray(value) && Object.keys(value).length === 0;

const Fact = ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`;

/** A list of [name, value]; rows that are null are left out. */
export const Facts = ({rows}) => html`<dl>${rows.filter(Boolean).map(Fact)}</dl>`;

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
  const members = Object.entries(value).filter(([, item]) => !isEmpty(item));
  if (members.length === 0) return DASH;
  const fact = ([name, item]) => [fieldWords(name), html`<${Properties} value=${item} />`];
  return html`<${Facts} rows=${members.map(fact)} />`;
}
