// Repeated requests to the service.
import {useEffect, useRef, useState} from '../vendor/preact.js';
import {isAbort} from './api.js';
import {onReturn} from './connection.js';
import {pressEnd} from './press.js';

const HIDDEN_FACTOR = 5; // a hidden page asks less often

/** Calls work(signal) now, every `ms` after that, and when the service is back. Errors of the
 * service are left to the next call. Returns a function that calls it at once, or as soon as the
 * call under way has ended. */
export function usePoll(work, ms) {
  const latest = useRef(work);
  const runNow = useRef(null);
  latest.current = work;
  useEffect(() => {
    const controller = new AbortController();
    const {signal} = controller;
    let timer;
    let busy = null; // the call under way
    let isDue = false; // another one after it
    const call = async () => {
      do {
        isDue = false;
        await latest.current(signal);
      } while (isDue && !signal.aborted);
    };
    const run = () => {
      clearTimeout(timer);
      isDue = true;
      busy ??= call()
        .catch(error => {
          if (!isAbort(error) && error.status === undefined) throw error;
        })
        .finally(() => {
          busy = null;
          if (!signal.aborted) timer = setTimeout(run, document.hidden ? HIDDEN_FACTOR * ms : ms);
        });
      return busy;
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

/** Calls load(signal, value before) every `ms`: {value, error, reload()}. An error leaves the
 * value; a new one waits for the end of a press. */
export function usePolled(load, ms) {
  const [state, setState] = useState({});
  const held = useRef(undefined);
  const reload = usePoll(async signal => {
    try {
      held.current = await load(signal, held.current);
      await pressEnd();
      setState({value: held.current});
    } catch (error) {
      if (!isAbort(error)) setState({value: held.current, error});
      throw error;
    }
  }, ms);
  return {...state, reload};
}

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
