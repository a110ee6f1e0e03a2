/**
 * A bucket or a limit that reports its use. If it was evicted from its map, the map takes it back then, so that the change
 * is not lost. Without `beforeUse` an evicted value is lost, with its changes, once nothing refers to it.
 */
export interface CallsBeforeUse {
  /** Set by the map on eviction, and called before every change; `undefined` while the value is in the map. */
  beforeUse: (() => void) | undefined;
}

function setBeforeUse(value: object, call: (() => void) | undefined): void {
  if ('beforeUse' in value) (value as CallsBeforeUse).beforeUse = call;
}

interface Entry<T> {
  readonly value: T;
  usedAtMs: number;
}

/** How a {@link KeyMap} makes its values, and how long it keeps them. */
export interface KeyMapRules<T> {
  make(key: string): T;
  /** True if discarding the value loses nothing. */
  isIdle(value: T): boolean;
  readonly maxKeys: number;
  readonly idleMs: number;
}

/**
 * One `T` per key. Idle entries are evicted without timers: each lookup inspects the next two entries in a round, so its
 * cost does not depend on how many there are.
 *
 * A caller may still hold an evicted value, so it is found again as long as it is in memory, and no key ever has two. The
 * time of garbage collection does not matter: a value that nothing refers to behaves like a new one.
 */
export class KeyMap<T extends object> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #evicted = new Map<string, WeakRef<T>>();
  readonly #rules: KeyMapRules<T>;
  #round: Iterator<[string, Entry<T>]>;
  #evictedRound: Iterator<[string, WeakRef<T>]>;
  /** The full map is not searched for idle entries again before this time. */
  #nextSearchMs = Number.NEGATIVE_INFINITY;
  /** Of the last lookup. */
  #nowMs = 0;

  constructor(rules: KeyMapRules<T>) {
    this.#rules = rules;
    this.#round = this.#entries.entries();
    this.#evictedRound = this.#evicted.entries();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Evicted values that were not found to be collected yet. */
  get evicted(): number {
    return this.#evicted.size;
  }

  /** All values that a caller may hold: those of the map, and evicted ones that are still in memory. */
  *values(): Generator<T> {
    for (const { value } of this.#entries.values()) yield value;
    for (const ref of this.#evicted.values()) {
      const value = ref.deref();
      if (value !== undefined) yield value;
    }
  }

  /** The value of a key, made if there is none yet; `undefined` if there is no room for another. */
  find(key: string, nowMs: number): T | undefined {
    this.#nowMs = nowMs;
    this.#evictSome();
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      entry.usedAtMs = nowMs;
      return entry.value;
    }
    if (this.#entries.size >= this.#rules.maxKeys && !this.#makeRoom()) return undefined;
    const value = this.#recall(key) ?? this.#rules.make(key);
    this.#entries.set(key, { value, usedAtMs: nowMs });
    return value;
  }

  /** Removes and returns the evicted value of a key, if it is still in memory. */
  #recall(key: string): T | undefined {
    const value = this.#evicted.get(key)?.deref();
    this.#evicted.delete(key);
    if (value !== undefined) setBeforeUse(value, undefined);
    return value;
  }

  #evict(key: string, value: T): void {
    this.#forgetSome();
    this.#entries.delete(key);
    this.#evicted.set(key, new WeakRef(value));
    setBeforeUse(value, () => {
      this.#recall(key);
      this.#entries.set(key, { value, usedAtMs: this.#nowMs });
    });
  }

  /** Inspects two references for each value that is evicted, so that collected ones do not accumulate. */
  #forgetSome(): void {
    for (let looks = 0; looks < 2; looks += 1) {
      const { value: entry } = this.#evictedRound.next();
      if (entry === undefined) this.#evictedRound = this.#evicted.entries();
      else if (entry[1].deref() === undefined) this.#evicted.delete(entry[0]);
    }
  }

  /** Inspects two entries per lookup, so that the round makes progress even if every lookup adds one. */
  #evictSome(): void {
    const { idleMs, isIdle } = this.#rules;
    for (let looks = 0; looks < 2; looks += 1) {
      let { value: next } = this.#round.next();
      if (next === undefined) {
        this.#round = this.#entries.entries();
        ({ value: next } = this.#round.next());
        if (next === undefined) return;
      }
      const [key, { value, usedAtMs }] = next as [string, Entry<T>];
      if (this.#nowMs - usedAtMs >= idleMs && isIdle(value)) this.#evict(key, value);
    }
  }

  #makeRoom(): boolean {
    if (this.#nowMs < this.#nextSearchMs) return false;
    for (const [key, { value }] of this.#entries) if (this.#rules.isIdle(value)) this.#evict(key, value);
    if (this.#entries.size < this.#rules.maxKeys) return true;
    this.#nextSearchMs = this.#nowMs + 1_000;
    return false;
  }
}
