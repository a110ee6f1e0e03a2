import { proseOf } from '#prose';
import { warn } from '../../base/warn.ts';
import { originOf } from '../../http/origin.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { ObservableBucket } from '../../loop/contracts.ts';
import type { Quota } from './gcra.ts';

/**
 * The most origins whose pauses are remembered, those with waiting requests apart. Beyond it the first that asked goes, which as a
 * rule ends first, and a warning says so.
 */
const MOST_ORIGINS = 10_000;

/** What the gates need of the bucket behind them. */
export interface Behind<B> {
  /** In milliseconds of the bucket. */
  now(): number;
  /** The rate of a gate. */
  rate(): Quota;
  /** Makes a gate that has so many tokens. */
  make(tokens: number): B;
}

/**
 * A bucket for each origin that asked for a pause: closed for that time, empty when it opens, and dropped when it is full
 * again. What a server says of its quota holds for its own origin; others that share the tokens go on.
 */
export class OriginGates<B extends ObservableBucket = ObservableBucket> {
  readonly #behind: Behind<B>;
  readonly #most: number;
  /** When an origin opens, empty; or its gate, which is made for the first request that comes. Those that asked first stand first. */
  readonly #pauses = new Map<string, number | B>();
  /** With more than this those that are full again are dropped. */
  #tidyAbove: number;
  #hasWarned = false;

  constructor(behind: Behind<B>, most: number = MOST_ORIGINS) {
    this.#behind = behind;
    this.#most = most;
    this.#tidyAbove = Math.min(100, most);
  }

  /** Pauses an origin. Never shortens a pause. */
  pause(origin: string, durationMs: number): void {
    const untilMs = this.#behind.now() + durationMs;
    const known = this.#pauses.get(origin) ?? untilMs;
    if (typeof known === 'object') {
      if (durationMs > 0) known.pauseFor(durationMs);
      return;
    }
    this.#pauses.set(origin, Math.max(known, untilMs));
    if (this.#pauses.size <= this.#tidyAbove) return;
    this.stats();
    if (this.#pauses.size > this.#most) this.#makeRoom();
    this.#tidyAbove = Math.min(this.#most, 2 * this.#pauses.size);
  }

  /** Lets through at most so many tokens of an origin, and what comes in from now on. */
  lower(origin: string, tokens: number): void {
    const { capacity, refillPerSecond } = this.#behind.rate();
    if (!(tokens < capacity)) return;
    // As after a pause that has ended so long ago.
    this.pause(origin, (-tokens / refillPerSecond) * 1_000);
    const gate = this.#pauses.get(origin);
    if (typeof gate === 'object') gate.atMost?.(Math.max(0, tokens));
  }

  /** The gate of a request's origin. Usually there is none, and the URL is not parsed. */
  for(request: RequestTraits): B | undefined {
    if (this.#pauses.size === 0) return undefined;
    const origin = originOf(request);
    const known = this.#pauses.get(origin);
    if (known === undefined) return undefined;
    if (this.#isIdle(known)) {
      this.#pauses.delete(origin);
      return undefined;
    }
    if (typeof known === 'object') return known;
    const { capacity, refillPerSecond } = this.#behind.rate();
    const openMs = this.#behind.now() - known;
    const gate = this.#behind.make(Math.min(capacity, (Math.max(0, openMs) * refillPerSecond) / 1_000));
    if (openMs < 0) gate.pauseFor(-openMs);
    this.#pauses.set(origin, gate);
    return gate;
  }

  /** All gates that were made. */
  all(): B[] {
    return [...this.#pauses.values()].filter((known) => typeof known === 'object');
  }

  /** Ends the pauses of all origins. */
  resume(): void {
    const nowMs = this.#behind.now();
    for (const [origin, known] of this.#pauses) {
      if (typeof known === 'object') known.resume();
      else this.#pauses.set(origin, Math.min(known, nowMs));
    }
  }

  /** Drops those that are full again. How many are left, their longest pause in milliseconds, and how many requests wait at them. */
  stats(): { readonly count: number; readonly pausedMs: number; readonly waiting: number } {
    let pausedMs = 0;
    let waiting = 0;
    for (const [origin, known] of this.#pauses) {
      if (this.#isIdle(known)) this.#pauses.delete(origin);
      else if (typeof known === 'number') pausedMs = Math.max(pausedMs, known - this.#behind.now());
      else {
        const stats = known.stats();
        pausedMs = Math.max(pausedMs, stats.pausedMs);
        waiting += stats.waiting;
      }
    }
    return { count: this.#pauses.size, pausedMs, waiting };
  }

  #isIdle(known: number | B): boolean {
    if (typeof known === 'object') return known.stats().idle;
    const { capacity, refillPerSecond } = this.#behind.rate();
    return this.#behind.now() >= known + (capacity / refillPerSecond) * 1_000;
  }

  /** Forgets the first pause that no one waits for. */
  #makeRoom(): void {
    for (const [origin, known] of this.#pauses) {
      if (typeof known === 'object' && known.stats().waiting > 0) continue;
      this.#pauses.delete(origin);
      break;
    }
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    warn(
      proseOf(
        () => `More than ${this.#most} origins of one bucket have asked for a pause: the first is forgotten`,
      ) ?? `more than ${this.#most} origins`,
    );
  }
}
