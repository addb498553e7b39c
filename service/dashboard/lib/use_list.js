import {get, isAbort, query} from './api.js';
import {useAbort} from './use_abort.js';
import {useEffect, useState} from '../vendor/preact.js';

const PAGE = 50;

/** A long list of the API, page by page: {items or null, error, next() or null}. */
export function useList(path, parameters) {
  const signal = useAbort();
  const [state, setState] = useState({items: null, cursor: null, error: null, busy: false});
  const next = async () => {
    setState(now => ({...now, busy: true}));
    try {
      const asked = query({...parameters, cursor: state.cursor, limit: PAGE});
      const part = await get(`${path}${asked}`, {signal});
      const items = [...(state.items ?? []), ...part.items];
      setState({items, cursor: part.next_cursor, error: null, busy: false});
    } catch (error) {
      if (!isAbort(error)) setState(now => ({...now, error, busy: false}));
    }
  };
  useEffect(() => {
    next();
  }, []);
  return {...state, next: state.cursor ? next : null};
}
