import { devTextOf } from '#dev-text';
import { warn } from '../../base/errors.ts';
import { originOf, type RequestTraits } from '../../http/outcome.ts';
import type { ObservableBucket } from '../limit.ts';

/**
 * The most origins whose pauses are remembered, those with waiting requests apart. Beyond it the first that asked goes, which as a
 * rule ends first, and a warning says so.
 */
const MOST_ORIGINS = 1_000;

/**
 * A bucket for each origin that asked for a pause: closed for that time, empty when it opens, and dropped when it is full
 * again. What a server says of its quota holds for its own origin; others that share the tokens go on.
 */
export class OriginPauses<B extends ObservableBucket = ObservableBucket> {
  readonly #make: () => B;
  readonly #most: number;
  /** Those that asked first stand first. */
  readonly #gates = new Map<string, B>();
  #hasWarned = false;

  /** @param make makes a gate, which is full */
  constructor(make: () => B, most: number = MOST_ORIGINS) {
    this.#make = make;
    this.#most = most;
  }

  /** The gate of an origin that says something of its quota. */
  of(origin: string): B {
    let gate = this.#gates.get(origin);
    if (gate === undefined) {
      if (this.#gates.size >= this.#most && this.stats().count >= this.#most) this.#makeRoom();
      gate = this.#make();
      this.#gates.set(origin, gate);
    }
    return gate;
  }

  /** The gate of a request's origin. Usually there is none, and the URL is not parsed. */
  for(request: RequestTraits): B | undefined {
    if (this.#gates.size === 0) return undefined;
    const origin = originOf(request);
    const gate = this.#gates.get(origin);
    if (gate?.stats().idle !== true) return gate;
    this.#gates.delete(origin);
    return undefined;
  }

  all(): B[] {
    return [...this.#gates.values()];
  }

  /** Drops those that are full again. How many are left, their longest pause in milliseconds, and how many requests wait at them. */
  stats(): { readonly count: number; readonly pausedMs: number; readonly waiting: number } {
    let [longestMs, waits] = [0, 0];
    for (const [origin, gate] of this.#gates) {
      const { idle, pausedMs, waiting } = gate.stats();
      if (idle) this.#gates.delete(origin);
      longestMs = Math.max(longestMs, pausedMs);
      waits += waiting;
    }
    return { count: this.#gates.size, pausedMs: longestMs, waiting: waits };
  }

  /** Forgets the first pause that no one waits for. */
  #makeRoom(): void {
    for (const [origin, gate] of this.#gates) {
      if (gate.stats().waiting > 0) continue;
      this.#gates.delete(origin);
      break;
    }
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    warn(
      devTextOf(
        () => `More than ${this.#most} origins of one bucket have asked for a pause: the first is forgotten`,
      ) ?? `more than ${this.#most} origins`,
    );
  }
}
