import { wrongType } from '../base/check.ts';
import type { Clock } from '../base/clock.ts';
import { callHook, ThrottledError } from '../base/errors.ts';
import { isSameClock, ownClock, unboundClock } from '../base/own-clock.ts';
import type { RequestTraits } from '../http/outcome.ts';
import { PerKeyPart } from '../parts/per-key.ts';
import type { Part } from '../policy/part.ts';
import { bindClock, type ClockBound, twoClocks } from './bind-clock.ts';
import type { PerKey } from './contracts.ts';
import { Evicted } from './evicted.ts';
import type { PerKeySetup } from './per-key-options.ts';

interface Entry<T> {
  readonly value: T;
  usedAtMs: number;
}

/**
 * One `T` per key. Idle entries are evicted without timers: each lookup inspects the next two entries in a round, so its
 * cost does not depend on how many there are. A key never has two values, however long a caller holds one: see
 * {@link Evicted}.
 */
export class KeyMap<T extends object> implements PerKey<T>, ClockBound {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #evicted = new Evicted<T>((key, value) => this.#add(key, value, this.#clock.now()));
  readonly #make: (key: string) => T;
  readonly #isIdle: (value: T) => boolean;
  readonly #setup: PerKeySetup;
  #clock: Clock;
  /** The clock of the policy; `undefined` without a policy. */
  #boundTo: Clock | undefined;
  #round: Iterator<[string, Entry<T>]>;
  /** The full map is not searched for idle entries again before this time. */
  #nextSearchMs = Number.NEGATIVE_INFINITY;

  constructor(make: (key: string) => T, isIdle: (value: T) => boolean, setup: PerKeySetup) {
    this.#make = make;
    this.#isIdle = isIdle;
    this.#setup = setup;
    this.#clock = ownClock(setup.clock);
    this.#round = this.#entries.entries();
  }

  get part(): Part {
    return new PerKeyPart((call) => this.for(call.request, call.policy.key));
  }

  takeClock(clock: Clock): void {
    for (const value of this.values()) bindClock(value, clock);
    const isUnbound = this.#setup.clock === unboundClock;
    if (this.#boundTo !== undefined && isUnbound && !isSameClock(this.#boundTo, clock)) twoClocks();
    this.#boundTo = clock;
    if (isUnbound) this.#clock = clock;
  }

  /**
   * A new value of a key, on the clock of the policy.
   *
   * @throws HookError if `make` throws
   */
  made(key: string): T {
    const value = callHook('make', () => this.#make(key));
    if (this.#boundTo !== undefined) bindClock(value, this.#boundTo);
    return value;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** All values that a caller may hold: those of the map, and evicted ones that are still in memory. */
  *values(): Generator<T> {
    for (const { value } of this.#entries.values()) yield value;
    yield* this.#evicted.values();
  }

  /**
   * @throws ThrottledError if there is no room for another key
   * @throws HookError if `keyOf` or `make` throws, or `keyOf` returns no string
   */
  for(request: RequestTraits, key: string = this.keyFor(request)): T {
    const value = this.find(key);
    if (value !== undefined) return value;
    const message = `Not sent: ${this.#setup.maxKeys} keys are in use, which is the limit`;
    throw new ThrottledError(message, undefined, { reason: 'too-many-keys' });
  }

  /**
   * The value of a key, made if there is none yet; `undefined` if there is no room for another.
   *
   * @throws HookError if `make` throws
   */
  find(key: string): T | undefined {
    const nowMs = this.#clock.now();
    this.#evictSome(nowMs);
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      entry.usedAtMs = nowMs;
      return entry.value;
    }
    if (this.#entries.size >= this.#setup.maxKeys && !this.#makeRoom(nowMs)) return undefined;
    const value = this.#evicted.recall(key) ?? this.made(key);
    this.#add(key, value, nowMs);
    return value;
  }

  /** @throws HookError if `keyOf` throws, or returns no string */
  keyFor(request: RequestTraits): string {
    const { keyOf } = this.#setup;
    return callHook('keyOf', () => {
      const key = keyOf(request);
      if (typeof key !== 'string') throw wrongType('its result', 'a string', key);
      return key;
    });
  }

  #add(key: string, value: T, nowMs: number): void {
    this.#entries.set(key, { value, usedAtMs: nowMs });
  }

  #evict(key: string, value: T): void {
    this.#entries.delete(key);
    this.#evicted.add(key, value);
  }

  /** Inspects two entries per lookup, so that the round makes progress even if every lookup adds one. */
  #evictSome(nowMs: number): void {
    for (let looks = 0; looks < 2; looks += 1) {
      let { value: next } = this.#round.next();
      if (next === undefined) {
        this.#round = this.#entries.entries();
        ({ value: next } = this.#round.next());
        if (next === undefined) return;
      }
      const [key, { value, usedAtMs }] = next as [string, Entry<T>];
      if (nowMs - usedAtMs >= this.#setup.idleMs && this.#isIdle(value)) this.#evict(key, value);
    }
  }

  #makeRoom(nowMs: number): boolean {
    if (nowMs < this.#nextSearchMs) return false;
    for (const [key, { value }] of this.#entries) if (this.#isIdle(value)) this.#evict(key, value);
    if (this.#entries.size < this.#setup.maxKeys) return true;
    this.#nextSearchMs = nowMs + 1_000;
    return false;
  }
}
