import { makeMetadata } from '#platform';
import { BODY_READERS, isWebReadable } from '../http/body.ts';
import { responseHeader } from '../http/headers.ts';
import type { BodyUse } from './body-use.ts';
import { type WatchedStream, watchedStream } from './streams.ts';

/** The length of a body in bytes; NaN if it is not known. `Content-Length` does not hold for a body that fetch has decompressed. */
function lengthOf({ headers }: Response): number {
  const isDecoded = responseHeader(headers, 'content-encoding') !== undefined;
  return isDecoded ? Number.NaN : Number(responseHeader(headers, 'content-length'));
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
    // Otherwise parts that a clone has read would still be delivered.
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
   * True if the caller reads the watched stream: the native body is then locked. Otherwise the native body is unlocked after a
   * reader without a read, so that later reads behave natively.
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
  if (Object.hasOwn(response, 'body') || !('body' in response)) return;
  const native: Prototype = Object.getPrototypeOf(response);
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
 * as long as all the rest; a wrong guess is noticed in the next turn.
 */
export function isOfWatchedClass(response: Response): boolean {
  return Object.getPrototypeOf(response) === lastNative;
}

/** The watch on the body of a response; `undefined` without a watch. */
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
