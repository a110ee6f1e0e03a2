import type { ObservableBucket } from './limits.ts';
import { originOf } from './origin.ts';
import type { RequestTraits } from './outcome.ts';

/**
 * The origins that asked to be left alone, each with a bucket of its own: closed for as long as was asked, empty
 * when it opens again, and gone when it is full. What one server says of its quota holds for that server; the
 * others that share the tokens go on.
 */
export class OriginGates {
  readonly #make: () => ObservableBucket;
  readonly #gates = new Map<string, ObservableBucket>();
  #round: Iterator<string> = this.#gates.keys();

  /** @param make a bucket as large and as fast as the one that it stands in front of */
  constructor(make: () => ObservableBucket) {
    this.#make = make;
  }

  /** Closes an origin. Never shortens a pause. */
  pause(origin: string, durationMs: number): void {
    this.#tidy();
    let gate = this.#gates.get(origin);
    if (gate === undefined) {
      gate = this.#make();
      this.#gates.set(origin, gate);
    }
    gate.pauseFor(durationMs);
  }

  /** The one that a request has to pass. In the usual case there is none, and the URL is not even looked at. */
  for(request: RequestTraits): ObservableBucket | undefined {
    if (this.#gates.size === 0) return undefined;
    const origin = originOf(request);
    this.#dropIdle(origin);
    return this.#gates.get(origin);
  }

  /** Those that are closed or not full yet: how many, how long until the last opens, and how many wait there. */
  stats(): { readonly count: number; readonly pausedMs: number; readonly waiting: number } {
    let pausedMs = 0;
    let waiting = 0;
    for (const [origin, gate] of this.#gates) {
      const stats = gate.stats();
      if (stats.idle) this.#gates.delete(origin);
      pausedMs = Math.max(pausedMs, stats.pausedMs);
      waiting += stats.waiting;
    }
    return { count: this.#gates.size, pausedMs, waiting };
  }

  /** Looks at two for each that is closed: at all of them, ten thousand origins would take seconds. */
  #tidy(): void {
    for (let looks = 0; looks < 2; looks += 1) {
      const { value: origin } = this.#round.next();
      if (origin === undefined) this.#round = this.#gates.keys();
      else this.#dropIdle(origin);
    }
  }

  #dropIdle(origin: string): void {
    if (this.#gates.get(origin)?.stats().idle === true) this.#gates.delete(origin);
  }
}
