import { createHook } from 'node:async_hooks';

/** What the process has made or called so far. */
export interface Counts {
  /** Each `await` makes one more while promises are watched. */
  promises: number;
  /** Timeouts and immediates. */
  timers: number;
  clockReads: number;
  abortListeners: number;
}

export const counts: Counts = { promises: 0, timers: 0, clockReads: 0, abortListeners: 0 };

/**
 * From now on time passes by a microsecond with each reading of a clock. Otherwise the speed of the machine would decide
 * how often ebb does what it does once in 100 ms. The real clock is still read, because reading it is part of the cost.
 */
export function replaceClocks(): void {
  const now = performance.now.bind(performance);
  performance.now = () => {
    counts.clockReads += 1;
    now();
    return counts.clockReads / 1_000;
  };
  const wallNow = Date.now;
  const startedAtMs = wallNow();
  Date.now = () => {
    counts.clockReads += 1;
    wallNow();
    return startedAtMs + Math.floor(counts.clockReads / 1_000);
  };
}

/** Counts everything but clock reads, which are always counted. Slows the process down. */
export function startCounting(): void {
  createHook({
    init(_, type) {
      if (type === 'PROMISE') counts.promises += 1;
      else if (type === 'Timeout' || type === 'Immediate') counts.timers += 1;
    },
  }).enable();

  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args) {
    if (args[0] === 'abort') counts.abortListeners += 1;
    return addEventListener.apply(this, args);
  } as typeof addEventListener;
}
