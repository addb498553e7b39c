import {html} from '../vendor/preact.js';

/** A choice of values; names: what to call them, by value. */
export function Select({values, value, names = {}, onSelect, ...rest}) {
  const option = one =>
    html`<option value=${one} selected=${one === value}>${names[one] ?? one}</option>`;
  return html`<select ...${rest} value=${value} onChange=${event => onSelect(event.target.value)}>
    ${values.map(option)}
  </select>`;
}
