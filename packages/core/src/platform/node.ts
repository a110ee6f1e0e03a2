// What only Node, Bun, Deno and workers have, or need. web.ts has the same names. Selected by the conditions of "imports" in
// package.json. Keep imports minimal: everything imports this module.

/** The clients of Node see bodies end. */
export const seesBodiesEnd = true;

/** Bodies may be streams of Node. */
export const hasNodeStreams = true;

/** The part of a channel of `node:diagnostics_channel` in use. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(id: string): { channel?(name: string): Channel } | undefined;
    emitWarning?(warning: Error): void;
  };
  reportError?(error: unknown): void;
}

/** Not imported: a worker may have no such module. */
const makeChannel = (globalThis as NodeLike).process?.getBuiltinModule?.('node:diagnostics_channel')?.channel;

const EVENTS = [
  'throttle',
  'mark',
  'attempt',
  'retry',
  'hedge',
  'other-retries',
  'skip',
  'share',
  'end',
  'resume',
] as const;
type Name = (typeof EVENTS)[number];

/** The channels of events by their types. All copies of this package in a program share them. */
const channels =
  makeChannel &&
  (Object.fromEntries(EVENTS.map((name) => [name, makeChannel(`ebb:${name}`)])) as Record<Name, Channel>);

/** True if a program listens to the channel of this type of event. */
export function isSubscribed(type: Name): boolean {
  return channels?.[type].hasSubscribers === true;
}

/** Publishes an event on the channel of its type. */
export function publish(type: Name, event: unknown): void {
  channels?.[type].publish(event);
}

/** Warns as Node does if possible, since `reportError` ends the process in Deno. */
export function emit(warning: Error): void {
  const { process, reportError } = globalThis as NodeLike;
  if (typeof process?.emitWarning === 'function') process.emitWarning(warning);
  else if (typeof reportError === 'function') reportError(warning);
}

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
