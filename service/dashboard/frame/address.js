// The address of the page that is shown: the part of the URL after "#/".
import {useLayoutEffect, useState} from '../vendor/preact.js';

/** "#/ladder/dc3/4?x=1" is {name: 'ladder', args: ['dc3', '4'], query}. */
function current() {
  const text = location.hash.replace(/^#\/?/, '');
  const [path, search] = text.split('?');
  const [name, ...args] = path.split('/').map(decodeURIComponent);
  return {text, name, args, query: new URLSearchParams(search)};
}

/** The address; onMove() is called when it changes. It listens at once: a change before the next
 * frame would be missed, and the page would stay. */
export function useAddress(onMove) {
  const [address, setAddress] = useState(current);
  useLayoutEffect(() => {
    const move = () => {
      setAddress(current());
      onMove?.();
    };
    addEventListener('hashchange', move);
    return () => removeEventListener('hashchange', move);
  }, []);
  return address;
}
