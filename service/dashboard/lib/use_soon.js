import {useEffect, useRef} from '../vendor/preact.js';

/** A function that calls f once, `ms` after its first call; calls in between add nothing. */
export function useSoon(f, ms) {
  const latest = useRef(f);
  const timer = useRef(null);
  latest.current = f;
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = null;
      latest.current();
    }, ms);
  };
}
