import {useEffect, useRef} from '../vendor/preact.js';

/** An AbortSignal that aborts when the component is gone. */
export function useAbort() {
  const controller = useRef(null);
  controller.current ??= new AbortController();
  useEffect(() => () => controller.current.abort(), []);
  return controller.current.signal;
}
