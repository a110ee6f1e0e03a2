import { proseOf } from '#prose';
import { warn } from '../../base/warn.ts';
import { originOf } from '../../http/origin.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import type { CloseOptions, ObservableBucket } from '../../loop/contracts.ts';
import type { Quota } from './gcra.ts';

/**
 * The most origins whose pauses are remembered, those with waiting requests apart: about 2 MB. Beyond it the first that asked
 * goes, which as a rule ends first, and a warning says so.
 */
const MOST_ORIGINS = 10_000;

/** How many are looked at for the statistics, and with each pause. */
const LOOKS = 100;
const FEW_LOOKS = 10;

/** An origin that asked for a pause. */
interface Pause<B> {
  /** When it opens, empty. In milliseconds of the bucket's time. */
  untilMs: number;
  /** The bucket at the gate, two kilobytes: made for the first request that comes. */
  gate: B | undefined;
}

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
  /** Those that asked first stand first. */
  readonly #pauses = new Map<string, Pause<B>>();
  #round = this.#pauses.entries();
  /** The end of the longest pause. It never gets shorter before {@link resume}. */
  #longestUntilMs = Number.NEGATIVE_INFINITY;
  readonly #waiting: { waiting: number };
  readonly #most: number;
  #closed: CloseOptions | undefined;
  #hasWarned = false;

  /** @param waiting counts the requests at all gates, which add and subtract themselves */
  constructor(behind: Behind<B>, waiting: { waiting: number } = { waiting: 0 }, most: number = MOST_ORIGINS) {
    this.#behind = behind;
    this.#waiting = waiting;
    this.#most = most;
  }

  /** Pauses an origin. Never shortens a pause. */
  pause(origin: string, durationMs: number): void {
    const nowMs = this.#behind.now();
    this.#tidy(nowMs, FEW_LOOKS);
    const untilMs = nowMs + durationMs;
    this.#longestUntilMs = Math.max(this.#longestUntilMs, untilMs);
    const known = this.#pauses.get(origin);
    if (known === undefined) {
      if (this.#pauses.size >= this.#most) this.#makeRoom();
      this.#pauses.set(origin, { untilMs, gate: undefined });
      return;
    }
    known.untilMs = Math.max(known.untilMs, untilMs);
    if (durationMs > 0) known.gate?.pauseFor(durationMs);
  }

  /** Lets through at most so many tokens of an origin, and what comes in from now on. */
  lower(origin: string, tokens: number): void {
    const { capacity, refillPerSecond } = this.#behind.rate();
    if (!(tokens < capacity)) return;
    // As after a pause that has ended so long ago.
    this.pause(origin, (-tokens / refillPerSecond) * 1_000);
    this.#pauses.get(origin)?.gate?.atMost?.(Math.max(0, tokens));
  }

  /** How long a gate takes to fill, in milliseconds. */
  get #fillMs(): number {
    const { capacity, refillPerSecond } = this.#behind.rate();
    return (capacity / refillPerSecond) * 1_000;
  }

  /** The gate of a request's origin. Usually there is none, and the URL is not parsed. */
  for(request: RequestTraits): B | undefined {
    if (this.#pauses.size === 0) return undefined;
    const origin = originOf(request);
    const pause = this.#pauses.get(origin);
    if (pause === undefined) return undefined;
    const nowMs = this.#behind.now();
    if (this.#isIdle(pause, nowMs)) {
      this.#pauses.delete(origin);
      return undefined;
    }
    pause.gate ??= this.#makeGate(pause, nowMs);
    return pause.gate;
  }

  #makeGate({ untilMs }: Pause<B>, nowMs: number): B {
    const { capacity, refillPerSecond } = this.#behind.rate();
    const openMs = Math.max(0, nowMs - untilMs);
    const gate = this.#behind.make(Math.min(capacity, (openMs * refillPerSecond) / 1_000));
    if (untilMs > nowMs) gate.pauseFor(untilMs - nowMs);
    if (this.#closed !== undefined) void gate.close(this.#closed);
    return gate;
  }

  /** All gates that were made. */
  *all(): Generator<B> {
    for (const { gate } of this.#pauses.values()) if (gate !== undefined) yield gate;
  }

  /** Ends the pauses of all gates. */
  resume(): void {
    const nowMs = this.#behind.now();
    this.#longestUntilMs = Number.NEGATIVE_INFINITY;
    for (const pause of this.#pauses.values()) {
      pause.gate?.resume();
      pause.untilMs = Math.min(pause.untilMs, nowMs);
    }
  }

  /** Closes all gates for good, and those that are made later. */
  close(options: CloseOptions): void {
    this.#closed = options;
    for (const gate of this.all()) void gate.close(options);
  }

  /** Resolves when no request waits at a gate: with `true` if one did. */
  async idle(): Promise<boolean> {
    if (this.#waiting.waiting === 0) return false;
    const busy = [...this.all()].filter((gate) => gate.stats().waiting > 0);
    await Promise.all(busy.map((gate) => gate.idle()));
    return busy.length > 0;
  }

  /** How many gates are closed or not full yet, the longest pause in milliseconds, and how many requests wait at them. */
  stats(): { readonly count: number; readonly pausedMs: number; readonly waiting: number } {
    const nowMs = this.#behind.now();
    this.#tidy(nowMs, LOOKS);
    const pausedMs = Math.max(0, this.#longestUntilMs - nowMs);
    return { count: this.#pauses.size, pausedMs, waiting: this.#waiting.waiting };
  }

  #isIdle({ untilMs, gate }: Pause<B>, nowMs: number): boolean {
    if (nowMs < untilMs) return false;
    return gate === undefined ? nowMs >= untilMs + this.#fillMs : gate.stats().idle;
  }

  /** Looks at the next few in a round, and drops those that are full again. */
  #tidy(nowMs: number, most: number): void {
    // One more, for the end of the round.
    for (let looks = Math.min(most, this.#pauses.size) + 1; looks > 0; looks -= 1) {
      const { value: next } = this.#round.next();
      if (next === undefined) this.#round = this.#pauses.entries();
      else if (this.#isIdle(next[1], nowMs)) this.#pauses.delete(next[0]);
    }
  }

  /** Forgets the first pause that no one waits for. */
  #makeRoom(): void {
    let looks = LOOKS;
    for (const [origin, pause] of this.#pauses) {
      this.#pauses.delete(origin);
      if (pause.gate === undefined || pause.gate.stats().waiting === 0) break;
      // Behind all others, so that the next call does not look at it again.
      this.#pauses.set(origin, pause);
      looks -= 1;
      if (looks === 0) return;
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
