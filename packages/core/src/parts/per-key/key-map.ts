/** The limit of one key. */
export interface Entry<T> {
  readonly value: T;
  /** The calls that have begun with it, and not ended. */
  calls: number;
  usedAtMs: number;
}

/** How a {@link KeyMap} makes its values, and how long it keeps them. */
export interface KeyMapRules<T> {
  make(key: string): T;
  /** True if discarding the value loses nothing. */
  isIdle(value: T): boolean;
  /** More than `maxKeys` are in use. */
  onFull(): void;
  readonly maxKeys: number;
  readonly idleMs: number;
}

/**
 * One `T` per key. Idle entries are evicted without timers: each lookup inspects the next two entries in a round, so its
 * cost does not depend on how many there are. One that is in use is never evicted, however many there are.
 */
export class KeyMap<T extends object> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #rules: KeyMapRules<T>;
  #round: Iterator<[string, Entry<T>]>;
  /** The full map is not searched for idle entries again before this time. */
  #nextSearchMs = Number.NEGATIVE_INFINITY;

  constructor(rules: KeyMapRules<T>) {
    this.#rules = rules;
    this.#round = this.#entries.entries();
  }

  get size(): number {
    return this.#entries.size;
  }

  *values(): Generator<T> {
    for (const { value } of this.#entries.values()) yield value;
  }

  /** The entry of a key, made if there is none yet. */
  find(key: string, nowMs: number): Entry<T> {
    let entry = this.#entries.get(key);
    // Before the round, which must not evict it.
    if (entry !== undefined) entry.usedAtMs = nowMs;
    this.#evictSome(nowMs, entry);
    if (entry !== undefined) return entry;
    if (this.#entries.size >= this.#rules.maxKeys) this.#makeRoom(nowMs);
    entry = { value: this.#rules.make(key), calls: 0, usedAtMs: nowMs };
    this.#entries.set(key, entry);
    return entry;
  }

  #isIdle({ value, calls }: Entry<T>): boolean {
    return calls === 0 && this.#rules.isIdle(value);
  }

  /** Inspects two entries per lookup, so that the round makes progress even if every lookup adds one. */
  #evictSome(nowMs: number, found: Entry<T> | undefined): void {
    for (let looks = 0; looks < 2; looks += 1) {
      let { value: next } = this.#round.next();
      if (next === undefined) {
        this.#round = this.#entries.entries();
        ({ value: next } = this.#round.next());
        if (next === undefined) return;
      }
      const [key, entry]: [string, Entry<T>] = next;
      const isOld = nowMs - entry.usedAtMs >= this.#rules.idleMs && entry !== found;
      if (isOld && this.#isIdle(entry)) this.#entries.delete(key);
    }
  }

  #makeRoom(nowMs: number): void {
    if (nowMs < this.#nextSearchMs) return;
    for (const [key, entry] of this.#entries) if (this.#isIdle(entry)) this.#entries.delete(key);
    if (this.#entries.size < this.#rules.maxKeys) return;
    this.#nextSearchMs = nowMs + 1_000;
    this.#rules.onFull();
  }
}
