import {useEffect, useMemo, useState} from '../vendor/preact.js';

const NEAR = '200px'; // charts this close to the window count as visible

/** Which charts are in sight: {seen: Map of elements by title, observe(element)}. */
export function useSeen() {
  const [seen, setSeen] = useState(new Map());
  const observer = useMemo(() => {
    const note = entries =>
      setSeen(before => {
        const after = new Map(before);
        for (const {target, isIntersecting} of entries)
          if (isIntersecting) after.set(target.dataset.curve, target);
          else after.delete(target.dataset.curve);
        return after;
      });
    return new IntersectionObserver(note, {rootMargin: NEAR});
  }, []);
  useEffect(() => () => observer.disconnect(), []);
  const observe = element => {
    observer.observe(element);
    return () => observer.unobserve(element);
  };
  return {seen, observe};
}
