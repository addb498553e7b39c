// The token of the user: asked for in a dialog, kept until the tab is closed.
const KEY = 'rinkd-token';
const CHANGED = 'rinkd-token'; // an event of the window
let asking = null; // the open dialog, as a promise

export const currentToken = () => sessionStorage.getItem(KEY);

/** Calls f() when there is another token; returns the function that ends this. */
export function onToken(f) {
  addEventListener(CHANGED, f);
  return () => removeEventListener(CHANGED, f);
}

/** Forgets the token: the page begins anew and asks for one. */
export function logOut() {
  sessionStorage.removeItem(KEY);
  location.reload();
}

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
      window.dispatchEvent(new window.Event(CHANGED));
    };
    dialog.showModal();
  });
  return asking;
}
