import {useEffect, useRef} from '../vendor/preact.js';
import {listen} from './events.js';

/** Calls onEvent(name, data) for the events of a path while the component is shown; null: none. */
export function useEvents(path, onEvent) {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    const controller = new AbortController();
    if (path) listen(path, (name, data) => latest.current(name, data), controller.signal);
    return () => controller.abort();
  }, [path]);
}
