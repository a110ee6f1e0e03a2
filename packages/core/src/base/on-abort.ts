import { SignalWatch } from './signal-watch.ts';

interface Waiting {
  /** `undefined` once it was called, or called off. */
  call: (() => void) | undefined;
}

const watches = new WeakMap<AbortSignal, SignalWatch<Waiting>>();

function watchOf(signal: AbortSignal): SignalWatch<Waiting> {
  let watch = watches.get(signal);
  if (watch === undefined) {
    watch = new SignalWatch<Waiting>(
      (end) => {
        signal.addEventListener('abort', end);
        return () => signal.removeEventListener('abort', end);
      },
      ({ call }) => call !== undefined,
      (ended) => {
        watches.delete(signal);
        callAll(ended);
      },
    );
    watches.set(signal, watch);
  }
  return watch;
}

/** One that throws does not keep the others from being called; the first error goes where a listener's goes. */
function callAll(watch: SignalWatch<Waiting>): void {
  const errors: unknown[] = [];
  for (const [waiting] of watch.members()) {
    const { call } = waiting;
    waiting.call = undefined;
    try {
      call?.();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/**
 * Calls `call` once when the signal aborts, and returns a function that calls it off. As with a listener, a
 * signal that is aborted already never calls.
 *
 * All calls under one signal share one listener, which is removed when the last is called off. With a listener
 * each, a runtime compares every new one with all that are there: 32,000 requests under one signal would take
 * seconds to begin and as long to end, and Node warns of a leak from the eleventh.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  const watch = watchOf(signal);
  const waiting: Waiting = { call };
  watch.add(waiting, 0);
  return () => {
    if (waiting.call === undefined) return;
    waiting.call = undefined;
    watch.left();
  };
}
