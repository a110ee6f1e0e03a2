import { callable, checkOptions, countingNumber, having, notNegative, wrongType } from '../base/check.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { callHook, ThrottledError } from '../base/errors.ts';
import { originOf } from '../http/origin.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { PerKey } from './contracts.ts';
import { Evicted } from './evicted.ts';

/** How many of a kind are kept, for what, and how long. */
export interface PerKeyOptions {
  /**
   * Which requests share one: those with the same key.
   * @default the origin of the URL
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
  /**
   * How many there may be. When none of them can be let go, a request with yet another key is refused before it
   * is sent, since to forget one that is in use would let its requests pass. Not so with `budgetPerKey`: there
   * all further keys share one budget. One that was let go while you held it, and is used then, comes back even
   * if that makes more.
   * @default 10_000
   */
  readonly maxKeys?: number | undefined;
  /**
   * One that was not asked for this long is let go, when it is as good as a new one, in milliseconds. As long as
   * someone holds it, it is found again.
   * @default 60_000
   */
  readonly idleMs?: number | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

interface Kept<T> {
  readonly value: T;
  usedAtMs: number;
}

/**
 * One `T` for each key. No timer for any: each time that one is asked for, the next few in a round are looked
 * at, and let go when they are idle. So there are never many more than are in use, and a visit costs the same
 * however many there are. A key never has two, however long someone keeps the one: see {@link Evicted}.
 */
export class KeyMap<T extends object> implements PerKey<T> {
  readonly #kept = new Map<string, Kept<T>>();
  readonly #evicted = new Evicted<T>((key, value) => this.#keep(key, value, this.#clock.now()));
  readonly #make: (key: string) => T;
  readonly #isIdle: (value: T) => boolean;
  readonly #keyOf: (request: RequestTraits) => string;
  readonly #maxKeys: number;
  readonly #idleMs: number;
  readonly #clock: Clock;
  #round: Iterator<[string, Kept<T>]>;
  /** Before that it is no use to look through all of them for one that can be let go. */
  #nextSearchMs = Number.NEGATIVE_INFINITY;

  constructor(
    caller: string,
    make: (key: string) => T,
    isIdle: (value: T) => boolean,
    options: PerKeyOptions,
  ) {
    checkOptions(caller, options, {
      keyOf: callable,
      maxKeys: countingNumber,
      idleMs: notNegative,
      clock: having('a clock', 'now', 'schedule'),
    });
    const { keyOf = originOf, maxKeys = 10_000, idleMs = 60_000, clock = systemClock } = options;
    this.#make = make;
    this.#isIdle = isIdle;
    this.#keyOf = keyOf;
    this.#maxKeys = maxKeys;
    this.#idleMs = idleMs;
    this.#clock = clock;
    this.#round = this.#kept.entries();
  }
  get size(): number {
    return this.#kept.size;
  }

  /** All that someone may hold: those that are kept, and those that were let go and are still in memory. */
  *values(): Generator<T> {
    for (const { value } of this.#kept.values()) yield value;
    yield* this.#evicted.values();
  }

  /** @throws ThrottledError when there is no room for another key */
  for(request: RequestTraits, key: string = this.keyFor(request)): T {
    const kept = this.find(key);
    if (kept !== undefined) return kept;
    const message = `Not sent: ${this.#maxKeys} keys are in use already, and there may be no more`;
    throw new ThrottledError(message, undefined, { reason: 'too-many-keys' });
  }

  /** The one of a key, made if need be; `undefined` when there is no room for another. */
  find(key: string): T | undefined {
    const nowMs = this.#clock.now();
    this.#tidy(nowMs);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      known.usedAtMs = nowMs;
      return known.value;
    }
    if (this.#kept.size >= this.#maxKeys && !this.#makeRoom(nowMs)) return undefined;
    const value = this.#evicted.recall(key) ?? callHook('make', () => this.#make(key));
    this.#keep(key, value, nowMs);
    return value;
  }

  #keep(key: string, value: T, nowMs: number): void {
    this.#kept.set(key, { value, usedAtMs: nowMs });
  }

  #release(key: string, value: T): void {
    this.#kept.delete(key);
    this.#evicted.add(key, value);
  }

  /** @throws HookError when `keyOf` throws, or returns no string */
  keyFor(request: RequestTraits): string {
    return callHook('keyOf', () => {
      const key = this.#keyOf(request);
      if (typeof key !== 'string') throw wrongType('its result', 'a string', key);
      return key;
    });
  }

  /** Looks at two at each visit, so that the round gets on even while every visit adds one. */
  #tidy(nowMs: number): void {
    for (let looks = 0; looks < 2; looks += 1) {
      let { value: entry } = this.#round.next();
      if (entry === undefined) {
        this.#round = this.#kept.entries();
        ({ value: entry } = this.#round.next());
        if (entry === undefined) return;
      }
      const [key, { value, usedAtMs }] = entry as [string, Kept<T>];
      if (nowMs - usedAtMs >= this.#idleMs && this.#isIdle(value)) this.#release(key, value);
    }
  }

  #makeRoom(nowMs: number): boolean {
    if (nowMs < this.#nextSearchMs) return false;
    for (const [key, { value }] of this.#kept) if (this.#isIdle(value)) this.#release(key, value);
    if (this.#kept.size < this.#maxKeys) return true;
    this.#nextSearchMs = nowMs + 1_000;
    return false;
  }
}
