import {useRef} from '../vendor/preact.js';

/** "2", or "2/10" for two ends and up to ten extra; part of the address of a ladder. */
export const lengthKey = ({ends, extra_ends: extra}) => (extra ? `${ends}/${extra}` : `${ends}`);

/** The lengths {ends, extra_ends} of games that have been seen, in order. */
export function useLengths(always, matches) {
  const seen = useRef(new Map());
  for (const {ends, extra_ends} of [...always, ...matches])
    seen.current.set(lengthKey({ends, extra_ends}), {ends, extra_ends});
  return [...seen.current.values()].sort((a, b) => a.ends - b.ends || a.extra_ends - b.extra_ends);
}
