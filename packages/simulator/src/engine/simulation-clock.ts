import type { Clock } from '@ebb/core';

/** A clock that the simulation sets. Nothing waits on it: every wait is an event. */
export class SimulationClock implements Clock {
  nowMs = 0;

  now(): number {
    return this.nowMs;
  }

  schedule(): never {
    throw new Error(
      'Cannot schedule in a simulation: a budget or a backoff rule may only read the time of its clock.',
    );
  }
}
