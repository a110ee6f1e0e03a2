import type { Clock, ConcurrencyLimit, EbbEvent, ObservableBucket } from '@ebb/core';

/** What a case leaves behind, for the oracle. */
export class Probe {
  readonly events: EbbEvent[] = [];
  /** Those of a layer below that has a policy of its own. */
  readonly innerEvents: EbbEvent[] = [];
  readonly limits: ConcurrencyLimit[] = [];
  readonly buckets: ObservableBucket[] = [];
  /** Timers of the clock of the case that have neither fired nor been cancelled. */
  timers = 0;
  /** What the part of the case was asked. */
  readonly own = { begun: 0, ended: 0, arounds: 0, held: 0 };
  /** How often `wrapAttempt` was called. */
  arounds = 0;
  /** How often the hook that fails has failed. */
  faults = 0;
  /** Requests of user code that are under way: no one may wait for them any more. */
  sides = 0;
  /** Sends a request through the client of the case, as user code does; set once there is a client. */
  callsItself: () => Promise<void> = async () => undefined;
  /** Called with each event, after it was noted. */
  onEvent: (event: EbbEvent) => void = () => undefined;
}

/** A real clock that counts its timers. */
export function countingClock(probe: Probe): Clock {
  const startMs = Date.now() - performance.now();
  return {
    now: () => startMs + performance.now(),
    schedule(wake, delayMs, inBackground) {
      probe.timers += 1;
      let isPending = true;
      const done = (): void => {
        if (isPending) probe.timers -= 1;
        isPending = false;
      };
      const timer = setTimeout(
        () => {
          done();
          wake();
        },
        Math.ceil(Math.min(delayMs, 2 ** 31 - 1)),
      );
      if (inBackground) timer.unref();
      return () => {
        done();
        clearTimeout(timer);
      };
    },
  };
}
