import { SignalWatch } from './signal-watch.ts';

interface Waiting {
  /** `undefined` once it was called or cancelled. */
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

/** Calls all of them, even if one throws. The first error is thrown in the end, as a listener's would be. */
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
 * Calls `call` once when the signal aborts. Returns a function that cancels it. Like a listener, it is not called for a
 * signal that has aborted already.
 *
 * All calls under one signal share one listener, which is removed with the last of them. `addEventListener` compares a
 * new listener with all that exist: with one each, 32,000 requests under one signal would take seconds to start and as
 * long to end, and Node would warn of a leak from the eleventh.
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
