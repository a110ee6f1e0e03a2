import type { Clock } from '../base/clock.ts';
import { responseHeader } from '../http/any-headers.ts';
import { isWebReadable } from '../http/body.ts';
import type { BodyContext } from '../http/peek.ts';
import { type BodyInterceptor, interceptBody } from './intercept-body.ts';
import { type WatchedStream, watchedStream } from './watched-stream.ts';

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
  /** True in the turn of the event loop in which the response arrived. */
  isNew = true;
  /** The branches, until {@link letGo} or the end. */
  held: readonly object[] | undefined;
  /** Set while the body is read ahead, and after that. */
  stopReadingAhead: (() => void) | undefined;
  #branches = 1;
  #ended: (() => void) | undefined;

  /**
   * @param first the response; for node-fetch its body
   * @param ended called at the end
   */
  constructor(first: object, { clock, signal }: Pick<BodyContext, 'clock' | 'signal'>, ended: () => void) {
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
    ended();
  }

  /** Adds a clone. */
  add(branch: object): void {
    this.#branches += 1;
    if (this.held === undefined) collected.register(branch, this, branch);
    else this.held = [...this.held, branch];
  }

  /**
   * Allows the garbage collection of the branches, and returns them. They are held before that, because most responses are
   * read at once, and it takes longer to register them.
   */
  letGo(): readonly object[] {
    const { held = [] } = this;
    this.held = undefined;
    for (const branch of held) collected.register(branch, this, branch);
    return held;
  }

  /** Ends a branch that was cancelled. If it is the last one, the connection is closed when `gone` settles. */
  cancel(branch: object, gone: Promise<unknown>): void {
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
    const { signal } = this.use;
    // What a clone has read would still be delivered.
    if (signal?.aborted && !response.bodyUsed) {
      native.call(response).catch(() => undefined);
      return Promise.reject(signal.reason);
    }
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
    this.#watched = watchedStream(body, native, lengthOf(response), observer);
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
