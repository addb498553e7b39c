import {html, useEffect, useRef} from '../vendor/preact.js';

/** Asks before something that cannot be undone. label and keep: what its two buttons do, in words
 * that nobody can take for each other. onAnswer(true or false): false also where the page
 * changes. */
export function ConfirmDialog({question, label, keep = 'Do nothing', onAnswer}) {
  const dialog = useRef(null);
  useEffect(() => {
    const close = () => dialog.current?.close('no');
    dialog.current.showModal();
    addEventListener('hashchange', close);
    return () => removeEventListener('hashchange', close);
  }, []);
  return html`<dialog ref=${dialog} onClose=${() => onAnswer(dialog.current.returnValue === 'yes')}>
    <form method="dialog">
      <h2>${question}</h2>
      <div class="buttons">
        <button value="no" autofocus>${keep}</button>
        <button value="yes" class="danger">${label}</button>
      </div>
    </form>
  </dialog>`;
}
