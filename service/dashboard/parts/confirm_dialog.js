import {html, useEffect, useRef} from '../vendor/preact.js';

/** Asks before something that cannot be undone. onAnswer(true or false). */
export function ConfirmDialog({question, label, onAnswer}) {
  const dialog = useRef(null);
  useEffect(() => dialog.current.showModal(), []);
  return html`<dialog ref=${dialog} onClose=${() => onAnswer(dialog.current.returnValue === 'yes')}>
    <form method="dialog">
      <h2>${question}</h2>
      <div class="buttons">
        <button value="no" autofocus>Keep it as it is</button>
        <button value="yes" class="danger">${label}</button>
      </div>
    </form>
  </dialog>`;
}
