import { SignalWatch } from '../base/signal-watch.ts';
import { Sleepers, type Time } from '../base/sleepers.ts';
import { inNextTurn } from './node-timers.ts';

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
        callAll(ended.members());
      },
    );
    watches.set(signal, watch);
  }
  return watch;
}

/** The most that an abort calls in one turn of the event loop. Each may end a request, which takes microseconds. */
const SLICE = 1_000;

/**
 * Calls all of them, even if one throws. The first error of a slice is thrown in the end, as a listener's would be. The first
 * slice is called at once, and each of the others in another turn.
 */
function callAll(members: Iterator<[Waiting, number], undefined>): void {
  const errors: unknown[] = [];
  for (let left = SLICE; left > 0; left -= 1) {
    const waiting = members.next().value?.[0];
    if (waiting === undefined) break;
    const { call } = waiting;
    waiting.call = undefined;
    try {
      call?.();
    } catch (error) {
      errors.push(error);
    }
    if (left === 1) inNextTurn(() => callAll(members));
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

let sleepers: Sleepers | undefined;
let sleepersTimers: unknown;

/** The sleepers of the system clock, in a program that may have 100,000 of them. */
export function sleepersOn(clock: Time): Pick<Time, 'schedule'> {
  // Fake timers replace `setTimeout`, and may never fire. A sleep that starts later must not share one.
  if (sleepers === undefined || sleepersTimers !== setTimeout) {
    sleepersTimers = setTimeout;
    sleepers = new Sleepers(clock, () => new Promise(inNextTurn));
  }
  return sleepers;
}
