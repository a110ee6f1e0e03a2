import type { Clock } from '@ebb/core';
import type { Pausable } from './controller.ts';

/** Finds out when a connection brings nothing for too long. The time in which its reader has paused it does not count. */
export class Silence implements Pausable {
  readonly #connection: Pausable | null | undefined;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #fell: () => void;
  #heardAtMs = 0;
  #isPaused = false;
  #callOff: (() => void) | undefined;

  /** @param fell called after a silence of `idleMs` milliseconds */
  constructor(connection: Pausable | null | undefined, clock: Clock, idleMs: number, fell: () => void) {
    this.#connection = connection;
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#fell = fell;
    this.heard();
    this.#watch(idleMs);
  }

  heard(): void {
    this.#heardAtMs = this.#clock.now();
  }

  /** Not a timer for each chunk: one that looks when the last came. */
  #watch(waitMs: number): void {
    this.#callOff = this.#clock.schedule(() => {
      const leftMs = this.#isPaused ? this.#idleMs : this.#heardAtMs + this.#idleMs - this.#clock.now();
      if (leftMs > 0) this.#watch(leftMs);
      else this.#fell();
    }, waitMs);
  }

  stop(): void {
    this.#callOff?.();
  }

  pause(): void {
    this.#isPaused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.heard();
    this.#connection?.resume();
  }
}
