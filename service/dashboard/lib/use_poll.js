import {useEffect, useRef} from '../vendor/preact.js';
import {isAbort} from './api.js';
import {onReturn} from './connection.js';

const HIDDEN_FACTOR = 5; // rarer while nobody looks

/** Calls work(signal) now, every `ms` after that, and when the service is back. Problems of the
 * service are left to the next turn. Returns a function that calls it at once. */
export function usePoll(work, ms) {
  const latest = useRef(work);
  const runNow = useRef(() => {});
  latest.current = work;
  useEffect(() => {
    const controller = new AbortController();
    const {signal} = controller;
    let timer;
    let busy = false;
    const run = async () => {
      clearTimeout(timer);
      if (busy || signal.aborted) return;
      busy = true;
      try {
        await latest.current(signal);
      } catch (error) {
        if (!isAbort(error) && error.status === undefined) throw error;
      } finally {
        busy = false;
        if (!signal.aborted) timer = setTimeout(run, document.hidden ? HIDDEN_FACTOR * ms : ms);
      }
    };
    runNow.current = run;
    const stop = onReturn(run);
    run();
    return () => {
      controller.abort();
      clearTimeout(timer);
      stop();
    };
  }, [ms]);
  return () => runNow.current();
}
