// Pages wait with a redraw while the user presses a button: a click counts only if the pointer is
// released where it was pressed.
import {pause} from './pause.js';

const CLICK_MOST_MS = 10000; // a longer press is no click

let released = null; // a promise while the main button is down

addEventListener(
  'pointerdown',
  ({button}) => {
    if (button !== 0) return;
    const end = new Promise(resolve => {
      // The click comes right after the release.
      const finish = () => setTimeout(resolve);
      for (const name of ['pointerup', 'pointercancel'])
        addEventListener(name, finish, {once: true});
    });
    released = Promise.race([end, pause(CLICK_MOST_MS)]).then(() => (released = null));
  },
  true,
);

/** Resolves when no press is under way. */
export const pressEnd = () => released;
