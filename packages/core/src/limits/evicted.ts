/**
 * A bucket or a limit that says when it is used. If the map that made it has let it go, it takes it back then, so that
 * the change is not lost. One without `beforeUse` is lost with its changes when no one holds it any more.
 */
export interface CallsBeforeUse {
  /** Set by the map, to be called before anything changes; `undefined` while the map has it. */
  beforeUse: (() => void) | undefined;
}

function setBeforeUse(value: object, call: (() => void) | undefined): void {
  if ('beforeUse' in value) (value as CallsBeforeUse).beforeUse = call;
}

/**
 * What a map let go because it is as good as new. Someone may still hold it, so it is found again as long as it is in
 * memory, and no key ever has two. Nothing depends on when garbage is collected: one that no one holds behaves as a
 * new one.
 */
export class Evicted<T extends object> {
  readonly #refs = new Map<string, WeakRef<T>>();
  readonly #comeBack: (key: string, value: T) => void;
  #round: Iterator<[string, WeakRef<T>]>;

  /** @param comeBack is called with one that is used although it was let go */
  constructor(comeBack: (key: string, value: T) => void) {
    this.#comeBack = comeBack;
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
      this.#comeBack(key, value);
    });
  }

  /** Those that are still in memory. */
  *values(): Generator<T> {
    for (const ref of this.#refs.values()) {
      const value = ref.deref();
      if (value !== undefined) yield value;
    }
  }

  /** Takes out the one of a key, if it is still in memory. */
  recall(key: string): T | undefined {
    const value = this.#refs.get(key)?.deref();
    this.#refs.delete(key);
    if (value !== undefined) setBeforeUse(value, undefined);
    return value;
  }

  /** Looks at two for each that comes, so that those that are gone do not add up. */
  #tidy(): void {
    for (let looks = 0; looks < 2; looks += 1) {
      const { value: entry } = this.#round.next();
      if (entry === undefined) this.#round = this.#refs.entries();
      else if (entry[1].deref() === undefined) this.#refs.delete(entry[0]);
    }
  }
}
