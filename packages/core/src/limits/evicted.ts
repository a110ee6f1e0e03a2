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

/**
 * Values that were evicted from a map because they are as good as new. A caller may still hold one, so it is found again
 * as long as it is in memory, and no key ever has two. The time of garbage collection does not matter: a value that
 * nothing refers to behaves like a new one.
 */
export class Evicted<T extends object> {
  readonly #refs = new Map<string, WeakRef<T>>();
  readonly #onUse: (key: string, value: T) => void;
  #round: Iterator<[string, WeakRef<T>]>;

  /** @param onUse called when an evicted value is used */
  constructor(onUse: (key: string, value: T) => void) {
    this.#onUse = onUse;
    this.#round = this.#refs.entries();
  }

  get size(): number {
    return this.#refs.size;
  }

  add(key: string, value: T): void {
    this.#tidy();
    this.#refs.set(key, new WeakRef(value));
    setBeforeUse(value, () => {
      this.recall(key);
      this.#onUse(key, value);
    });
  }

  /** The values that are still in memory. */
  *values(): Generator<T> {
    for (const ref of this.#refs.values()) {
      const value = ref.deref();
      if (value !== undefined) yield value;
    }
  }

  /** Removes and returns the value of a key, if it is still in memory. */
  recall(key: string): T | undefined {
    const value = this.#refs.get(key)?.deref();
    this.#refs.delete(key);
    if (value !== undefined) setBeforeUse(value, undefined);
    return value;
  }

  /** Inspects two references for each value that is added, so that collected ones do not accumulate. */
  #tidy(): void {
    for (let looks = 0; looks < 2; looks += 1) {
      const { value: entry } = this.#round.next();
      if (entry === undefined) this.#round = this.#refs.entries();
      else if (entry[1].deref() === undefined) this.#refs.delete(entry[0]);
    }
  }
}
