import {useEffect, useRef} from '../vendor/preact.js';
import {get, query} from './api.js';
import {usePolled} from './use_poll.js';

const PAGE = 50;

async function loadPages(count, path, parameters, signal) {
  const items = [];
  let cursor = null;
  for (let k = 0; k === 0 || (cursor && k < count); k++) {
    const part = await get(`${path}${query({...parameters, cursor, limit: PAGE})}`, {signal});
    items.push(...part.items);
    cursor = part.next_cursor;
  }
  return {items, cursor};
}

/** A long list of the API, kept up to date, also with other parameters: {items, error, more()}.
 * more() adds a page; null at the end of the list. */
export function usePages(path, parameters, ms) {
  const count = useRef(1);
  const load = signal => loadPages(count.current, path, parameters, signal);
  const {value, error, reload} = usePolled(load, ms);
  const asked = query(parameters);
  const loaded = useRef(asked);
  useEffect(() => {
    if (loaded.current !== asked) reload();
    loaded.current = asked;
  }, [asked]);
  const more = () => {
    count.current++;
    reload();
  };
  return {items: value?.items, error: value ? null : error, more: value?.cursor ? more : null};
}
