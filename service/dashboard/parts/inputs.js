import {html, useState} from '../vendor/preact.js';
import {Term} from './term.js';

/** An input with its label and a line of help; without a label, the input alone. term: the word of
 * the glossary that the label is; a button within a label would be what the label is for. */
export function Labelled({label, help, term, children}) {
  if (!label) return children;
  const note = help && html`<p class="help">${help}</p>`;
  const labelled = html`<label>${label}${children}${note}</label>`;
  return term ? html`<div class="asked">${labelled}<${Term} word=${term}>?<//></div>` : labelled;
}

/** A choice of values; names: what to call them, by value. */
export function Select({label, term, values, value, names = {}, onSelect, ...rest}) {
  const option = one =>
    html`<option value=${one} selected=${one === value}>${names[one] ?? one}</option>`;
  return html`<${Labelled} label=${label} term=${term}>
    <select ...${rest} value=${value} onChange=${({target}) => onSelect(target.value)}>
      ${values.map(option)}
    </select>
  <//>`;
}

export const CheckBox = ({isOn, onToggle, ...rest}) =>
  html`<input
    ...${rest}
    type="checkbox"
    checked=${isOn}
    onChange=${({target}) => onToggle(target.checked)}
  />`;

/** An input whose text counts when the user leaves it or presses Enter; until then it stays as
 * typed. onCommit(text, number): number is NaN where the text is none. */
export function CommittedInput({label, value, onCommit, ...rest}) {
  const [draft, setDraft] = useState(null);
  const commit = ({target}) => {
    setDraft(null);
    onCommit(target.value, target.valueAsNumber);
  };
  return html`<${Labelled} label=${label}>
    <input
      ...${rest}
      value=${draft ?? value}
      onInput=${({target}) => setDraft(target.value)}
      onChange=${commit}
    />
  <//>`;
}
