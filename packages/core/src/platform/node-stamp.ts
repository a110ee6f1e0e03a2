/** Attaches a value to an object that belongs to others. Listings, copies and comparisons of the object do not show it. */
interface Stamp<T> {
  set(on: object, value: T): unknown;
  get(on: object): T | undefined;
}

/** A constructor that returns its argument: a class that extends it adds its private fields to that object. */
const Given = function given(object: object): object {
  return object;
} as unknown as new (
  object: object,
) => object;

/**
 * A `WeakMap` in the shape of a private field that a constructor adds. That takes about 15 ns, a tenth of a `WeakMap` or a hidden
 * property, and every response gets one.
 */
export function makeStamp<T>(): Stamp<T> {
  /** For objects that take no private field: frozen ones, in some runtimes. */
  const others = new WeakMap<object, T>();
  class Stamped extends Given {
    #value: T;

    private constructor(on: object, value: T) {
      super(on);
      this.#value = value;
    }

    static set(on: object, value: T): void {
      try {
        new Stamped(on, value);
      } catch {
        // It has one already, or takes none. Not tested first: testing takes longer than stamping.
        if (#value in on) on.#value = value;
        else others.set(on, value);
      }
    }

    static get(on: object): T | undefined {
      return #value in on ? on.#value : others.get(on);
    }
  }
  return Stamped;
}

/** undici's redirect interceptor copies the context of a response, but the list of URLs in it stays the same object. */
export function keptByCopies(result: object): object | undefined {
  try {
    const { history }: { readonly history?: unknown } = result;
    return Array.isArray(history) ? history : undefined;
  } catch {
    // The getters of some errors throw.
    return undefined;
  }
}
