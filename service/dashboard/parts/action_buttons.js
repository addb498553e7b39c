import {html, useState} from '../vendor/preact.js';
import {ConfirmDialog} from './confirm_dialog.js';

/** Buttons for actions [{name, label, look, confirm}]; one with `confirm` ({question, label, keep},
 * see ConfirmDialog) asks first. send(action) carries it out; onProblem(error or null);
 * onDone(name of the action) is called after success. */
export function ActionButtons({actions, send, onProblem, onDone}) {
  const [busy, setBusy] = useState(null);
  const [asked, setAsked] = useState(null); // the action that waits for an answer
  const act = async action => {
    setBusy(action.name);
    onProblem(null);
    try {
      await send(action);
      await onDone(action.name);
    } catch (error) {
      onProblem(error);
    }
    setBusy(null);
  };
  const answer = isYes => {
    setAsked(null);
    if (isYes) act(asked);
  };
  const button = action => html`<button
    key=${action.name}
    class=${action.look}
    disabled=${busy === action.name}
    onClick=${() => (action.confirm ? setAsked(action) : act(action))}
  >
    ${action.label}
  </button>`;
  return html`
    ${actions.map(button)}
    ${asked && html`<${ConfirmDialog} ...${asked.confirm} onAnswer=${answer} />`}
  `;
}
