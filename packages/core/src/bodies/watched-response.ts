import { makeMetadata } from '#platform';
import type { Clock } from '../base/clock.ts';
import { BODY_READERS, type BodyContext, isWebReadable } from '../http/body.ts';
import { responseHeader } from '../http/headers.ts';
import { type WatchedStream, watchedStream } from './streams.ts';

/** Gives up branches that were garbage-collected. What is being read is held by its reader. */
const collected = /* @__PURE__ */ new FinalizationRegistry((use: BodyUse) => use.giveUp());

/**
 * The use of one response body, and so of its connection, by the response and its clones (branches). It ends when one
 * branch has been read to its end, or all branches have been given up.
 */
export class BodyUse {
  readonly clock: Clock;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  /** The branches, until {@link letGo} or the end. */
  held: readonly Response[] | undefined;
  /** Set once the body is read ahead. */
  stopReadingAhead: (() => void) | undefined;
  #branches = 1;
  #ended: (() => void) | undefined;

  /** @param ended called at the end */
  constructor(first: Response, { clock, signal }: Pick<BodyContext, 'clock' | 'signal'>, ended: () => void) {
    this.held = [first];
    this.clock = clock;
    this.signal = signal;
    this.#ended = ended;
  }

  get isOver(): boolean {
    return this.#ended === undefined;
  }

  /** Adds a callback for the end; calls it at once if the use has ended. */
  onEnd(ended: () => void): void {
    const before = this.#ended;
    if (before === undefined) {
      ended();
      return;
    }
    this.#ended = () => {
      before();
      ended();
    };
  }

  end(): void {
    const ended = this.#ended;
    if (ended === undefined) return;
    // Cleared first, so that a response that the caller keeps does not keep its call in memory.
    this.#ended = undefined;
    this.held = undefined;
    this.stopReadingAhead?.();
    this.stopReadingAhead = undefined;
    ended();
  }

  /** Adds a clone. */
  add(branch: Response): void {
    this.#branches += 1;
    if (this.held === undefined) collected.register(branch, this, branch);
    else this.held = [...this.held, branch];
  }

  /**
   * Allows the garbage collection of the branches, and returns them. They are held before that, because most responses are
   * read at once, and it takes longer to register them.
   */
  letGo(): readonly Response[] {
    const { held = [] } = this;
    this.held = undefined;
    for (const branch of held) collected.register(branch, this, branch);
    return held;
  }

  /** Ends a branch that was cancelled. If it is the last one, the connection is closed when `gone` settles. */
  cancel(branch: Response, gone: Promise<unknown>): void {
    collected.unregister(branch);
    this.held = this.held?.filter((one) => one !== branch);
    this.giveUp(gone);
  }

  giveUp(gone?: Promise<unknown>): void {
    this.#branches -= 1;
    if (this.#branches > 0) return;
    // First: the copy that is read ahead is a branch of the stream, which would keep the source from being cancelled.
    this.stopReadingAhead?.();
    const end = (): void => this.end();
    if (gone === undefined) end();
    else gone.then(end, end);
  }
}

/** The length of a body in bytes, if known. `Content-Length` does not hold for a body that fetch has decompressed. */
function lengthOf({ headers }: Response): number | undefined {
  const length = responseHeader(headers, 'content-length');
  const isDecoded = responseHeader(headers, 'content-encoding') !== undefined;
  return length === undefined || isDecoded ? undefined : Number(length);
}

/** Observes how the body of a response is read, without changing what is read. */
export class WatchedBody {
  readonly use: BodyUse;
  #isTaken = false;
  #watched: WatchedStream | undefined;

  constructor(use: BodyUse) {
    this.use = use;
  }

  read(response: Response, native: (this: Response) => Promise<unknown>): Promise<unknown> {
    const { signal } = this.use;
    // What a clone has read would still be delivered.
    if (signal?.aborted && !response.bodyUsed) {
      native.call(response).catch(() => undefined);
      return Promise.reject(signal.reason);
    }
    // It is being read already, so `native` will reject. `bodyUsed` takes long: hardly any response is read natively, and then here,
    // while the use holds it.
    const { isOver, held } = this.use;
    if (this.#isStreamRead() || isOver || this.#isTaken || (held === undefined && response.bodyUsed))
      return native.call(response);
    this.#isTaken = true;
    const result = native.call(response);
    this.#watched?.shut();
    return result.then(
      (value) => {
        this.use.end();
        return value;
      },
      (error: unknown) => {
        // formData(), say, may reject because of the headers, before it reads.
        if (response.bodyUsed) this.use.end();
        else this.#isTaken = false;
        throw error;
      },
    );
  }

  stream(response: Response): unknown {
    if (this.#watched !== undefined) return this.#watched.stream;
    const body = nativeBody(response);
    const { signal, isOver } = this.use;
    if ((isOver && !signal) || !isWebReadable(body) || body.locked || response.bodyUsed) return body;
    const observer = {
      taken: () => {
        this.#isTaken = true;
        signal?.throwIfAborted();
      },
      ended: () => this.use.end(),
      cancelled: (gone: Promise<unknown>) => {
        this.#isTaken = true;
        this.use.cancel(response, gone);
      },
    };
    this.#watched = watchedStream(body, () => nativeBody(response), lengthOf(response), observer);
    return this.#watched.stream;
  }

  clone(response: Response): Response {
    this.#isStreamRead();
    const copy = nativeClone(response) as Response;
    if (!this.use.isOver) {
      watchResponse(copy, this.use);
      this.use.add(copy);
    }
    return copy;
  }

  /**
   * True if the caller reads the watched stream. Then the native body is locked, and unlocked after a reader that was released
   * without a read, so that later reads behave natively.
   */
  #isStreamRead(): boolean {
    const watched = this.#watched;
    if (watched === undefined) return false;
    const { locked } = watched.stream;
    if (locked) watched.lock();
    else watched.release();
    return locked;
  }

  /** True if it is being read, as far as that can be observed. */
  get isRead(): boolean {
    const watched = this.#watched;
    watched?.release();
    return this.#isTaken || watched?.stream.locked === true;
  }
}

const watchedBodies = /* @__PURE__ */ makeMetadata<WatchedBody>();

/** The prototype of a response. */
type Prototype = Pick<Response, 'clone'>;

/** The derived prototype of each native one, and of itself. */
const derivedOf = new WeakMap<object, object>();
/** The native prototype of the last response that was watched, and the derived one: a program often has only one. */
let lastNative: object | undefined;
let lastDerived: object | undefined;
/** The native prototype of each derived one. */
const nativeOf = new WeakMap<object, Prototype>();

/** A prototype that overrides the members on the way to the body, with the same names and kinds of property. */
function derive(from: Prototype): object {
  const members = {
    get body(): unknown {
      const watched = watchedBodies.get(this);
      return watched === undefined ? Reflect.get(from, 'body', this) : watched.stream(this);
    },
    clone(): Response {
      const watched = watchedBodies.get(this);
      return watched === undefined ? from.clone.call(this) : watched.clone(this);
    },
  } satisfies ThisType<Response>;
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(members);
  for (const name of BODY_READERS) {
    const native: (this: Response) => Promise<unknown> = Reflect.get(from, name);
    if (typeof native !== 'function') continue;
    const { [name]: value } = {
      [name](this: Response): Promise<unknown> {
        const watched = watchedBodies.get(this);
        return watched === undefined ? native.call(this) : watched.read(this, native);
      },
    };
    descriptors[name] = { value, configurable: true, enumerable: true, writable: true };
  }
  return Object.create(from, descriptors);
}

/**
 * Watches the body of a response. The response stays the same object of the same class and gets no property: its prototype is
 * replaced with one that derives from it. A frozen one, or a mock, stays as it is.
 */
export function watchResponse(response: Response, use: BodyUse): void {
  const native: Prototype | null = Object.getPrototypeOf(response);
  if (native === null || Object.hasOwn(response, 'body') || !('body' in native)) return;
  let derived = native === lastNative ? lastDerived : derivedOf.get(native);
  if (derived === undefined) {
    derived = derive(native);
    // Something may copy the prototype of a watched response, such as a proxy.
    for (const prototype of [native, derived]) derivedOf.set(prototype, derived);
    nativeOf.set(derived, native);
  }
  if (native !== derived) [lastNative, lastDerived] = [native, derived];
  if (Reflect.setPrototypeOf(response, derived)) watchedBodies.set(response, new WatchedBody(use));
}

/**
 * True if another response of this class had a web stream: so has this one, in all likelihood. Reading `body` to find that out takes
 * as long as all the rest; what does not hold is noticed in the next turn.
 */
export function isOfWatchedClass(response: Response): boolean {
  return Object.getPrototypeOf(response) === lastNative;
}

/** What watches the body of a response; `undefined` if nothing does. */
export function watchedBodyOf(response: Response): WatchedBody | undefined {
  return watchedBodies.get(response);
}

function nativePrototype(response: Response): Prototype {
  return nativeOf.get(Object.getPrototypeOf(response)) ?? response;
}

/** The body of a response itself. */
export function nativeBody(response: Response): unknown {
  return Reflect.get(nativePrototype(response), 'body', response);
}

/** A clone of a response that is not watched; `undefined` for a mock without `clone()`. */
export function nativeClone(response: Response): Response | undefined {
  const { clone } = nativePrototype(response);
  return typeof clone === 'function' ? clone.call(response) : undefined;
}
