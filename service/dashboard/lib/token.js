// The token of the user: asked for in a dialog, kept until the tab is closed.
const KEY = 'rinkd-token';
let asking = null; // the open dialog, as a promise

export const currentToken = () => sessionStorage.getItem(KEY);

/** Asks for a token; calls while the dialog is open share it. */
export function askToken(why) {
  asking ??= new Promise(resolve => {
    const dialog = document.getElementById('token-dialog');
    const input = document.getElementById('token');
    if (why) document.getElementById('token-why').textContent = why;
    input.value = '';
    dialog.oncancel = event => event.preventDefault();
    dialog.onclose = () => {
      sessionStorage.setItem(KEY, input.value.trim());
      asking = null;
      resolve();
    };
    dialog.showModal();
  });
  return asking;
}
