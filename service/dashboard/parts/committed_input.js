import {html, useState} from '../vendor/preact.js';

/** An input whose text counts when the user leaves it or presses Enter; until then it stays as
 * typed. onCommit(text, number): number is NaN where the text is none. */
export function CommittedInput({value, onCommit, ...rest}) {
  const [draft, setDraft] = useState(null);
  const commit = ({target}) => {
    setDraft(null);
    onCommit(target.value, target.valueAsNumber);
  };
  return html`<input
    ...${rest}
    value=${draft ?? value}
    onInput=${event => setDraft(event.target.value)}
    onChange=${commit}
  />`;
}
