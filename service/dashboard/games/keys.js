import {useEffect} from '../vendor/preact.js';

const KEYS = {ArrowLeft: -1, ArrowRight: 1};

/** The arrow keys step through a replay, except within a field. */
export function useKeys(replay) {
  useEffect(() => {
    const step = event => {
      if (event.target.closest('input, select, textarea') || !KEYS[event.key]) return;
      replay.step(KEYS[event.key]);
      event.preventDefault();
    };
    document.addEventListener('keydown', step);
    return () => document.removeEventListener('keydown', step);
  }, [replay]);
}
