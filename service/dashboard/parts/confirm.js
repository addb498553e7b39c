import {html, render, useEffect, useRef} from '../vendor/preact.js';

function ConfirmDialog({question, action, onAnswer}) {
  const dialog = useRef(null);
  useEffect(() => dialog.current.showModal(), []);
  return html`<dialog ref=${dialog} onClose=${() => onAnswer(dialog.current.returnValue === 'yes')}>
    <form method="dialog">
      <h2>${question}</h2>
      <div class="buttons">
        <button value="no" autofocus>Keep it as it is</button>
        <button value="yes" class="danger">${action}</button>
      </div>
    </form>
  </dialog>`;
}

/** Asks before something that cannot be undone; resolves to true or false. */
export function confirmed(question, action) {
  const host = document.body.appendChild(document.createElement('div'));
  return new Promise(resolve => {
    const onAnswer = answer => {
      render(null, host);
      host.remove();
      resolve(answer);
    };
    render(html`<${ConfirmDialog} ...${{question, action, onAnswer}} />`, host);
  });
}
