import {isAbort, post} from '../lib/api.js';
import {useEffect, useRef, useState} from '../vendor/preact.js';

const PAUSE_MS = 350; // while somebody types

/** What the service would say to a request, as it changes: {answer} or {error}, {} at first. */
export function useDryRun(request) {
  const [verdict, setVerdict] = useState({});
  const isFirst = useRef(true);
  useEffect(() => {
    const controller = new AbortController();
    const {signal} = controller;
    const ask = async () => {
      try {
        const answer = await post('/v1/jobs', {...request, dry_run: true}, {signal});
        if (!signal.aborted) setVerdict({answer});
      } catch (error) {
        if (!signal.aborted && !isAbort(error)) setVerdict({error});
      }
    };
    const timer = setTimeout(ask, isFirst.current ? 0 : PAUSE_MS);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [JSON.stringify(request)]);
  return verdict;
}
