import { originOf } from '../../http/origin.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { CloseOptions, ObservableBucket } from '../contracts.ts';

/**
 * A bucket for each origin that asked for a pause: closed for that time, empty when it opens, and dropped when it is full
 * again. What a server says of its quota holds for its own origin; others that share the tokens go on.
 */
export class OriginGates<B extends ObservableBucket = ObservableBucket> {
  readonly #make: () => B;
  readonly #gates = new Map<string, B>();
  /** Made when it is needed, as an iterator takes as much memory as half a map. */
  #round: Iterator<string> | undefined;
  #closed: CloseOptions | undefined;

  /** @param make makes an empty bucket with the rate of the one that it stands in front of */
  constructor(make: () => B) {
    this.#make = make;
  }

  /** Pauses an origin. Never shortens a pause. */
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

  /** The gate of a request's origin. Usually there is none, and the URL is not parsed. */
  for(request: RequestTraits): B | undefined {
    if (this.#gates.size === 0) return undefined;
    const origin = originOf(request);
    this.#dropIdle(origin);
    return this.#gates.get(origin);
  }

  /** All gates. */
  all(): Iterable<B> {
    return this.#gates.values();
  }

  /** Ends the pauses of all gates. */
  resume(): void {
    for (const gate of this.#gates.values()) gate.resume();
  }

  /** Closes all gates for good, and those that are made later. */
  close(options: CloseOptions): void {
    this.#closed = options;
    for (const gate of this.#gates.values()) void gate.close(options);
  }

  /** Resolves when no request waits at a gate: with `true` if one did. */
  async idle(): Promise<boolean> {
    const busy = [...this.#gates.values()].filter((gate) => gate.stats().waiting > 0);
    await Promise.all(busy.map((gate) => gate.idle()));
    return busy.length > 0;
  }

  /** How many gates are closed or not full yet, the longest pause in milliseconds, and how many requests wait at them. */
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

  /** Checks two gates for each that is made. Checking all would take seconds for ten thousand origins. */
  #tidy(): void {
    for (let looks = 0; looks < 2; looks += 1) {
      this.#round ??= this.#gates.keys();
      const { value: origin } = this.#round.next();
      if (origin === undefined) this.#round = undefined;
      else this.#dropIdle(origin);
    }
  }

  #dropIdle(origin: string): void {
    if (this.#gates.get(origin)?.stats().idle === true) this.#gates.delete(origin);
  }
}
