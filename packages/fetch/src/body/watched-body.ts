import type { Clock } from '@ebb/core';
import { isWebReadable, MOST_READ_AHEAD_BYTES, nextTurn } from '@ebb/core/adapter';
import { responseHeader } from '../headers.ts';
import type { BodyUse, Branch } from './body-use.ts';
import {
  type BodyInterceptor,
  interceptBody,
  interceptorOf,
  nativeBody,
  nativeClone,
} from './intercept-body.ts';
import { readAhead } from './read-ahead.ts';
import { timersOn } from './shared-timer.ts';
import { type WatchedStream, watchedStream } from './watched-stream.ts';

/** Gives up responses that were garbage-collected unread. A response that is being read is held by its reader. */
const collected = /* @__PURE__ */ new FinalizationRegistry((branch: Branch) => branch.giveUp());

/** The length of a body in bytes, if known. `Content-Length` does not hold for a body that fetch has decompressed. */
function lengthOf({ headers }: Response): number | undefined {
  const length = responseHeader(headers, 'content-length');
  const isDecoded = responseHeader(headers, 'content-encoding') !== undefined;
  return length === undefined || isDecoded ? undefined : Number(length);
}

/** Observes how the body of a response is read, without changing what is read. */
export class WatchedBody implements BodyInterceptor {
  readonly use: BodyUse;
  readonly #branch: Branch;
  readonly #clock: Clock;
  #isTaken = false;
  #watched: WatchedStream | undefined;

  constructor(response: Response, use: BodyUse, clock: Clock) {
    this.use = use;
    this.#branch = use.branch();
    this.#clock = clock;
    // A response that cannot be intercepted is still checked below.
    interceptBody(response, this);
    collected.register(response, this.#branch);
    // Hazard: `check` must hold neither the response nor `this`, which would keep it from being collected.
    const held = new WeakRef(response);
    const check = (): void => checkBody(held.deref(), use, clock);
    // The body of an error is often short and left unread.
    if (response.status >= 400) void nextTurn().then(check);
    else use.onEnd(timersOn(clock).check.add(check));
  }

  read(response: Response, native: () => Promise<unknown>): Promise<unknown> {
    this.#lockIfRead();
    // It is being read already, so `native` will reject.
    if (this.use.isOver || this.#isTaken || response.bodyUsed) return native();
    this.#isTaken = true;
    const result = native();
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

  stream(response: Response, native: () => unknown): unknown {
    if (this.#watched !== undefined) return this.#watched.stream;
    const body = native();
    if (this.use.isOver || !isWebReadable(body) || body.locked || response.bodyUsed) return body;
    this.#watched = watchedStream(body, native, lengthOf(response), {
      taken: () => {
        this.#isTaken = true;
      },
      ended: () => this.use.end(),
      cancelled: (gone) => {
        this.#isTaken = true;
        this.#branch.giveUp(gone);
      },
    });
    return this.#watched.stream;
  }

  clone(_: Response, native: () => Response): Response {
    this.#lockIfRead();
    const copy = native();
    if (!this.use.isOver) new WatchedBody(copy, this.use, this.#clock);
    return copy;
  }

  /** If the caller reads the watched stream, locks the native body, so that `bodyUsed` and later reads behave natively. */
  #lockIfRead(): void {
    if (this.#watched?.stream.locked) this.#watched.lock();
  }

  /** True if it is being read, as far as that can be observed. */
  get isRead(): boolean {
    return this.#isTaken || this.#watched?.stream.locked === true;
  }
}

/** Checks later whether an unread body has arrived. */
function checkBody(response: Response | undefined, use: BodyUse, clock: Clock): void {
  if (response === undefined || use.isOver) return;
  const interceptor = interceptorOf(response);
  if (interceptor instanceof WatchedBody && interceptor.isRead) return;
  const { readAhead: limit, unobserved } = timersOn(clock);
  const isLong = Number(responseHeader(response.headers, 'content-length') ?? 0) > MOST_READ_AHEAD_BYTES;
  const body = nativeBody(response) as ReadableStream;
  if (response.bodyUsed || body.locked) {
    // Something reads the native body, such as a server that returns the response.
    if (isLong) use.onEnd(unobserved.add(() => use.end()));
    else use.end();
  } else if (!isLong && !use.hasReadAhead) {
    const copy = nativeClone(response);
    if (copy !== undefined) readAhead(copy, use, limit);
  }
}
