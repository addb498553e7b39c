import {useEffect, useRef} from '../vendor/preact.js';
import {isAbort} from './api.js';
import {onReturn} from './connection.js';

const HIDDEN_FACTOR = 5; // rarer while nobody looks
const TURN_MS = 30000; // then a turn is given up: a request may be lost for good

/** Does one turn of work; it is given up when the signal aborts or when it takes too long. */
async function doTurn(work, signal) {
  const turn = new AbortController();
  const giveUp = () => turn.abort();
  const timer = setTimeout(giveUp, TURN_MS);
  signal.addEventListener('abort', giveUp);
  try {
    await work(turn.signal);
  } catch (error) {
    if (!isAbort(error) && error.status === undefined) throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}

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
        await doTurn(latest.current, signal);
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
