// What Cloudflare Workers bind to one request: timers and signals.
import { type Clock, virtualClock } from '@ebb/core/testing';
import { afterEach, beforeEach, vi } from 'vitest';

/** The request whose turn it is; `undefined` in the global scope, and in the continuations of promises. */
export let current: string | undefined;
/** Requests that are over: their timers do not fire. */
export const ended = new Set<string | undefined>();

/** Runs code as a part of a request. */
export function inRequest<T>(name: string | undefined, run: () => T): T {
  const before = current;
  current = name;
  try {
    return run();
  } finally {
    current = before;
  }
}

/** Timers belong to the request that sets them, and end with it. */
export function clockOfWorker(): {
  clock: Clock;
  advance(ms: number): Promise<void>;
  timers(): number;
} {
  const virtual = virtualClock({ startMs: 0 });
  let timers = 0;
  const clock: Clock = {
    now: virtual.now,
    schedule(wake, ...wait) {
      const owner = current;
      timers += 1;
      return virtual.schedule(() => ended.has(owner) || inRequest(owner, wake), ...wait);
    },
  };
  return { clock, advance: (ms: number) => virtual.advance(ms), timers: () => timers };
}

const Native = AbortController;

/** A signal belongs to the request that makes it: another one must not ask it. */
export function controller(): AbortController {
  const owner = current;
  if (owner === undefined) throw new Error('Disallowed operation called within global scope');
  const made = new Native();
  let isAborted = false;
  made.signal.addEventListener('abort', () => {
    isAborted = true;
  });
  Object.defineProperty(made.signal, 'aborted', {
    get() {
      if (owner !== current) throw new Error('Cannot perform I/O on behalf of a different request');
      return isAborted;
    },
  });
  return made;
}

beforeEach(() => {
  ended.clear();
  vi.stubGlobal('AbortController', controller);
});
afterEach(() => {
  vi.unstubAllGlobals();
});
