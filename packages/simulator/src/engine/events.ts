import type { Clock } from '@ebb/core';
import { EventQueue } from './event-queue.ts';

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

/** The kinds of events. The bits above the kind hold the client, request or job that the event is about. */
export const ARRIVAL = 0;
export const SEND = 1;
export const REACH = 2;
export const FINISH = 3;
export const ANSWER = 4;
export const TIMEOUT = 5;
export const LOOK = 6;
export const EXPIRE = 7;
export const CHANGE = 8;
export const HEDGE = 9;

const KIND_BITS = 4;
const KINDS = (1 << KIND_BITS) - 1;
const STAMP_BITS = 24;
const STAMPS = (1 << STAMP_BITS) - 1;

/** The future events of a simulation, and its clock. */
export class Events {
  readonly clock: SimulationClock;
  readonly #queue: EventQueue;

  /** The sum of what `touch` returned. Without a use of it the compiler would remove the reads. */
  touched = 0;

  /** `touch` reads the subject of an event shortly before the event, so that the subject is in the processor's cache by then. */
  constructor(clock: SimulationClock, dayMs: number, touch: (subject: number) => number) {
    this.clock = clock;
    this.#queue = new EventQueue(dayMs, (events, from, to) => {
      let sum = 0;
      for (let at = from; at < to; at += 1) sum += touch((events[at] as number) >> KIND_BITS);
      this.touched += sum;
    });
  }

  get nowMs(): number {
    return this.clock.nowMs;
  }

  get nextAtMs(): number {
    return this.#queue.nextAtMs;
  }

  /** `stamp` has 24 bits. `beside`, an outcome or an epoch and a shard, has 8. */
  add(delayMs: number, kind: number, subject: number, stamp = 0, beside = 0): void {
    const atMs = this.clock.nowMs + delayMs;
    this.#queue.push(atMs, (subject << KIND_BITS) | kind, stamp | (beside << STAMP_BITS));
  }

  /** Moves the clock to the next event. {@link kind}, {@link subject}, {@link stamp} and {@link beside} describe it. */
  next(): void {
    this.clock.nowMs = this.#queue.nextAtMs;
    this.#queue.pop();
  }

  get kind(): number {
    return this.#queue.event & KINDS;
  }

  get subject(): number {
    return this.#queue.event >> KIND_BITS;
  }

  get stamp(): number {
    return this.#queue.stamp & STAMPS;
  }

  get beside(): number {
    return this.#queue.stamp >>> STAMP_BITS;
  }
}
