/** Watches how long one turn of the event loop takes. Returns what stops it: the longest turn in milliseconds. */
export function watchTurns(): () => number {
  let longestMs = 0;
  let lastMs = performance.now();
  let next = setImmediate(look);
  function look(): void {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    next = setImmediate(look);
  }
  return () => {
    clearImmediate(next);
    return Math.max(longestMs, performance.now() - lastMs);
  };
}
