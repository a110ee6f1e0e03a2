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

  /** @param make a bucket as large and as fast as the one that it stands in front of */
  constructor(make: () => ObservableBucket) {
    this.#make = make;
  }

  /** Closes an origin. Never shortens a pause. */
  pause(origin: string, durationMs: number): void {
    for (const known of this.#gates.keys()) this.#dropIdle(known);
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

  /** Those that are closed or not full yet. */
  get all(): Iterable<ObservableBucket> {
    for (const origin of this.#gates.keys()) this.#dropIdle(origin);
    return this.#gates.values();
  }

  #dropIdle(origin: string): void {
    if (this.#gates.get(origin)?.stats().idle === true) this.#gates.delete(origin);
  }
}
