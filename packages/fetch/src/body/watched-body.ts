import type { Clock } from '@ebb/core';
import { nextTurn } from '@ebb/core/adapter';
import { responseHeader } from '../headers.ts';
import type { BodyUse, Branch } from './body-use.ts';
import { type BodyKeeper, keepBodyOf, keeperOf, nativeBody, nativeClone } from './intercept-body.ts';
import { isWebReadable } from './kinds.ts';
import { MOST_READ_AHEAD_BYTES, readAhead } from './read-ahead.ts';
import { delaysOn } from './shared-timer.ts';
import { type SeenStream, seenStream } from './watched-stream.ts';

/**
 * The last resort: tells of responses that have been collected without being read. One that is being read is held
 * by what reads it.
 */
const collected = /* @__PURE__ */ new FinalizationRegistry((branch: Branch) => branch.giveUp());

/** How many bytes a body will have. A body that was decoded for its reader has another length than was said. */
function lengthOf({ headers }: Response): number | undefined {
  const length = responseHeader(headers, 'content-length');
  const isDecoded = responseHeader(headers, 'content-encoding') !== undefined;
  return length === undefined || isDecoded ? undefined : Number(length);
}

/** Sees how the body of a response is read, and gives out what the response itself gives. */
export class SeenBody implements BodyKeeper {
  readonly use: BodyUse;
  readonly #branch: Branch;
  readonly #clock: Clock;
  #isTaken = false;
  #seen: SeenStream | undefined;

  constructor(response: Response, use: BodyUse, clock: Clock) {
    this.use = use;
    this.#branch = use.branch();
    this.#clock = clock;
    // One that cannot be changed is looked at all the same.
    keepBodyOf(response, this);
    collected.register(response, this.#branch);
    // Holds neither the response nor this, which holds it.
    const held = new WeakRef(response);
    const look = (): void => lookAt(held.deref(), use, clock);
    // The body of an error is often left unread, and short.
    if (response.status >= 400) void nextTurn().then(look);
    else use.also(delaysOn(clock).look.add(look));
  }

  read(response: Response, native: () => Promise<unknown>): Promise<unknown> {
    this.#lockIfRead();
    // What came first reads it, and this will be refused.
    if (this.use.isOver || this.#isTaken || response.bodyUsed) return native();
    this.#isTaken = true;
    const result = native();
    this.#seen?.shut();
    return result.then(
      (value) => {
        this.use.end();
        return value;
      },
      (error: unknown) => {
        // Some refuse for what the headers say, before they read.
        if (response.bodyUsed) this.use.end();
        else this.#isTaken = false;
        throw error;
      },
    );
  }

  stream(response: Response, native: () => unknown): unknown {
    if (this.#seen !== undefined) return this.#seen.stream;
    const body = native();
    if (this.use.isOver || !isWebReadable(body) || body.locked || response.bodyUsed) return body;
    this.#seen = seenStream(body, native, lengthOf(response), {
      taken: () => {
        this.#isTaken = true;
      },
      ended: () => this.use.end(),
      cancelled: (gone) => {
        this.#isTaken = true;
        this.#branch.giveUp(gone);
      },
    });
    return this.#seen.stream;
  }

  clone(_: Response, native: () => Response): Response {
    this.#lockIfRead();
    const copy = native();
    if (!this.use.isOver) new SeenBody(copy, this.use, this.#clock);
    return copy;
  }

  /** Who reads our stream reads the body, and the response itself is to say so. */
  #lockIfRead(): void {
    if (this.#seen?.stream.locked) this.#seen.lock();
  }

  /** Whether someone reads it in a way that can be seen. */
  get isRead(): boolean {
    return this.#isTaken || this.#seen?.stream.locked === true;
  }
}

/** Looks, a while later, at what may not have been asked for: it may have arrived. */
function lookAt(response: Response | undefined, use: BodyUse, clock: Clock): void {
  if (response === undefined || use.isOver) return;
  const keeper = keeperOf(response);
  if (keeper instanceof SeenBody && keeper.isRead) return;
  const { readAhead: limit, unseen } = delaysOn(clock);
  const isLong = Number(responseHeader(response.headers, 'content-length') ?? 0) > MOST_READ_AHEAD_BYTES;
  const body = nativeBody(response) as ReadableStream;
  if (response.bodyUsed || body.locked) {
    // Something reads it past us, as a server does to which the response is given.
    if (isLong) use.also(unseen.add(() => use.end()));
    else use.end();
  } else if (!isLong && !use.hasReadAhead) {
    const copy = nativeClone(response);
    if (copy !== undefined) readAhead(copy, use, limit);
  }
}
