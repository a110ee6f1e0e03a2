import { originOf } from '../../http/origin.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { CloseOptions, ObservableBucket } from '../contracts.ts';

/**
 * The origins that asked to be left alone, each with a bucket of its own: closed for as long as was asked, empty
 * when it opens again, and gone when it is full. What one server says of its quota holds for that server; the
 * others that share the tokens go on.
 */
export class OriginGates<B extends ObservableBucket = ObservableBucket> {
  readonly #make: () => B;
  readonly #gates = new Map<string, B>();
  #round: Iterator<string> = this.#gates.keys();
  #closed: CloseOptions | undefined;

  /** @param make a bucket as large and as fast as the one that it stands in front of */
  constructor(make: () => B) {
    this.#make = make;
  }

  /** Closes an origin. Never shortens a pause. */
  pause(origin: string, durationMs: number): void {
    this.#tidy();
    let gate = this.#gates.get(origin);
    if (gate === undefined) {
      gate = this.#make();
      if (this.#closed !== undefined) void gate.close(this.#closed);
      this.#gates.set(origin, gate);
    }
    gate.pauseFor(durationMs);
  }

  /** The one that a request has to pass. In the usual case there is none, and the URL is not even looked at. */
  for(request: RequestTraits): B | undefined {
    if (this.#gates.size === 0) return undefined;
    const origin = originOf(request);
    this.#dropIdle(origin);
    return this.#gates.get(origin);
  }

  /** Those that are there now. */
  all(): Iterable<B> {
    return this.#gates.values();
  }

  /** Opens all of them. */
  resume(): void {
    for (const gate of this.#gates.values()) gate.resume();
  }

  /** Closes all of them for good, and those that are still to come. */
  close(options: CloseOptions): void {
    this.#closed = options;
    for (const gate of this.#gates.values()) void gate.close(options);
  }

  /** Resolves with whether someone waited, as soon as no one does any more. */
  async idle(): Promise<boolean> {
    const busy = [...this.#gates.values()].filter((gate) => gate.stats().waiting > 0);
    await Promise.all(busy.map((gate) => gate.idle()));
    return busy.length > 0;
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
