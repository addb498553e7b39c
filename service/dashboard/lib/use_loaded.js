import {useEffect, useReducer, useState} from '../vendor/preact.js';
import {isAbort} from './api.js';

/** What load(signal) resolves to, once: {value, error, reload()}. Runs again when a dependency
 * changes. */
export function useLoaded(load, dependencies) {
  const [state, setState] = useState({});
  const [turn, reload] = useReducer(count => count + 1, 0);
  useEffect(() => {
    const controller = new AbortController();
    const isOurs = () => !controller.signal.aborted;
    setState({});
    load(controller.signal).then(
      value => isOurs() && setState({value}),
      error => isOurs() && !isAbort(error) && setState({error}),
    );
    return () => controller.abort();
  }, [...dependencies, turn]);
  return {...state, reload};
}
