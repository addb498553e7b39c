// Requests of a component: they end with it, and it is drawn again when they resolve.
import {useEffect, useMemo, useReducer, useState} from '../vendor/preact.js';
import {onReturn} from './connection.js';

/** An effect whose work(signal) is aborted when a dependency changes or the component is gone. */
export function useTask(work, dependencies) {
  useEffect(() => {
    const controller = new AbortController();
    work(controller.signal);
    return () => controller.abort();
  }, dependencies);
}

/** An AbortSignal that aborts when the component is gone. */
export function useAbort() {
  const controller = useMemo(() => new AbortController(), []);
  useEffect(() => () => controller.abort(), []);
  return controller.signal;
}

/** Calls load(signal) and again when a dependency changes: {value, error, reload()}. The old state
 * stays until the new one is there. What failed is loaded again when the service is back. */
export function useLoaded(load, dependencies) {
  const [state, setState] = useState({});
  const [turn, next] = useReducer(count => count + 1, 0);
  useTask(
    signal =>
      load(signal).then(
        value => signal.aborted || setState({value}),
        error => signal.aborted || setState({error}),
      ),
    [...dependencies, turn],
  );
  const reload = () => {
    setState({});
    next();
  };
  useEffect(() => state.error && onReturn(reload), [state.error]);
  return {...state, reload};
}
