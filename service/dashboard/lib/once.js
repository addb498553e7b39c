/** A function that calls load() at most once and returns its promise. After a failure the next call
 * tries again. */
export function once(load) {
  let kept = null;
  return () =>
    (kept ??= load().catch(error => {
      kept = null;
      throw error;
    }));
}
