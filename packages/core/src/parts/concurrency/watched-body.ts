import { responseHeader } from '../../http/any-headers.ts';
import { isWebReadable } from '../../http/body.ts';
import type { BodyUse } from './body-use.ts';
import { type BodyInterceptor, interceptBody } from './intercept-body.ts';
import { type WatchedStream, watchedStream } from './watched-stream.ts';

/** The length of a body in bytes, if known. `Content-Length` does not hold for a body that fetch has decompressed. */
function lengthOf({ headers }: Response): number | undefined {
  const length = responseHeader(headers, 'content-length');
  const isDecoded = responseHeader(headers, 'content-encoding') !== undefined;
  return length === undefined || isDecoded ? undefined : Number(length);
}

/** Observes how the body of a response is read, without changing what is read. */
export class WatchedBody implements BodyInterceptor {
  readonly use: BodyUse;
  #isTaken = false;
  #watched: WatchedStream | undefined;

  constructor(response: Response, use: BodyUse) {
    this.use = use;
    // A response that cannot be intercepted is still checked later.
    interceptBody(response, this);
  }

  read(response: Response, native: (this: Response) => Promise<unknown>): Promise<unknown> {
    // It is being read already, so `native` will reject. `bodyUsed` takes long: hardly any response is read natively, and
    // then here, in its first turn.
    if (this.#isStreamRead() || this.use.isOver || this.#isTaken || (!this.use.isNew && response.bodyUsed))
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
        this.use.cancel(response, gone);
      },
    });
    return this.#watched.stream;
  }

  clone(_: Response, native: () => Response): Response {
    this.#isStreamRead();
    const copy = native();
    if (!this.use.isOver) {
      new WatchedBody(copy, this.use);
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
