import type { Clock } from '@ebb/core';

/** The clock of a simulation, which sets `nowMs`. It has no timers: every wait is an event. */
export class SimulationClock implements Clock {
  nowMs = 0;

  now(): number {
    return this.nowMs;
  }

  schedule(): never {
    throw new Error('A simulation has no timers: a budget or a backoff rule may only read the time');
  }
}
