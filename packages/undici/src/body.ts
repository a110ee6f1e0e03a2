import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import {
  closeUpload,
  type FollowUpload,
  HookError,
  type MakeBody,
  MOST_KEPT_BYTES,
  takeUpload,
} from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { type RequestHeaders, requestHeader } from './headers.ts';

/** Options of a dispatch that one attempt has in place of the request's own. */
type DispatchChanges = Readonly<Record<string, unknown>>;

/** A request body that needs help before a second attempt can send it. */
export interface RequestBody {
  /** True if the next attempt would send the same bytes as the first. */
  readonly replayable: boolean;
  /** Makes the body of the next attempt; absent if that takes no code of the user. */
  readonly make?: MakeBody;
  /** Follows a body that may fail before it is sent. */
  readonly followUpload?: FollowUpload | undefined;
  /** The options that carry the body of the next attempt, if they are not the request's own. */
  take?(): DispatchChanges | undefined;
  /** The attempt is over. It may not have read to its end what it has taken. */
  release?(): void;
  /** An attempt ended while undici still had it in a queue: undici destroys the body when it dequeues it. */
  abandoned?(): void;
  /** No attempt will read the body any more. Not called when the last attempt's response has gone to the handler. */
  close?(): void;
  /** The request ended before an attempt was dispatched, so undici does not destroy the body. */
  unsent?(reason: unknown): void;
}

/** Where `fetch` puts the body for a MockAgent that lets the request through; the same object as `body` otherwise. */
const FETCH_BODY = '__mockAgentBodyForDispatch';

/** The body of a request; `undefined` if the options can be dispatched again as they are, or undici refuses the body. */
export function bodyOf(options: Dispatcher.DispatchOptions): RequestBody | undefined {
  const { headers } = options;
  const body: unknown = options.body;
  const { [FETCH_BODY]: fetchBody }: { readonly [FETCH_BODY]?: object | null } & Dispatcher.DispatchOptions =
    options;
  if (fetchBody) return iterableBody(fetchBody, headers, FETCH_BODY, ...(fetchBody === body ? ['body'] : []));
  if (typeof body === 'function') return factoryBody(body as () => unknown);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return bytesBody(body);
  if ('pipe' in body || 'getReader' in body) return streamBody(body as Readable);
  // A FormData is iterable as well, but undici reads it anew for each dispatch.
  const isIterable = Symbol.asyncIterator in body || Symbol.iterator in body;
  return isIterable && tagOf(body) !== 'FormData' ? iterableBody(body, headers, 'body') : undefined;
}

function tagOf(body: object): string {
  return Object.prototype.toString.call(body).slice(8, -1);
}

/** A body in memory. A buffer that was transferred to a worker since the first attempt has length 0. */
function bytesBody(body: ArrayBufferView | ArrayBuffer): RequestBody {
  const { byteLength } = body;
  return {
    get replayable() {
      return body.byteLength === byteLength;
    },
  };
}

/** A stream. It is sent again only if it is unread (after a refused connection, say) or was empty. */
function streamBody(body: Readable | ReadableStream): RequestBody {
  let isAbandoned = false;
  /** `undici.pipeline` gives every request a stream, even if there is nothing to send. */
  const wasEmpty = (): boolean => {
    const { readableEnded, readableDidRead } = body as Readable;
    return readableEnded && !readableDidRead;
  };
  return {
    get replayable() {
      // Streams other than Node's own, such as those of the form-data package, do not report whether they were read.
      const reportsReads = body instanceof ReadableStream || typeof body.readableDidRead === 'boolean';
      return wasEmpty() || (reportsReads && !isAbandoned && !Readable.isDisturbed(body as Readable));
    },
    take: () => (wasEmpty() ? { body: null } : undefined),
    abandoned() {
      isAbandoned = true;
    },
    followUpload: takeUpload(body),
    unsent: (reason) => closeUpload(body, reason),
  };
}

/** @param names the options that hold the body */
function iterableBody(body: object, headers: RequestHeaders, ...names: readonly string[]): RequestBody {
  const isOfFetch =
    tagOf(body) === 'AsyncGenerator' && requestHeader(headers, 'sec-fetch-mode') !== undefined;
  return isOfFetch && isRecordable(headers)
    ? recordBody(body as AsyncGenerator<Uint8Array>, names)
    : sentOnce(body as AsyncIterable<unknown>, names, isOfFetch);
}

/**
 * True for the generator that `fetch` makes of a body of known, small length: a string, buffer, blob or form, never a
 * stream. The generator is all that a dispatcher gets, and it can be read only once, so its chunks are recorded.
 */
function isRecordable(headers: RequestHeaders): boolean {
  return Number(requestHeader(headers, 'content-length') ?? Number.NaN) <= MOST_KEPT_BYTES;
}

function dispatchChangesOf(body: object, names: readonly string[]): DispatchChanges {
  return Object.fromEntries(names.map((name) => [name, body]));
}

/** An iterable. It is sent again only if its first chunk was never requested. */
function sentOnce(body: AsyncIterable<unknown>, names: readonly string[], isOfFetch: boolean): RequestBody {
  let first: Promise<IteratorResult<unknown>> | undefined;
  const once = {
    replayable: true,
    take: () => dispatchChangesOf(once, names),
    async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
      once.replayable = false;
      if (first) {
        const { done, value } = await first;
        if (done) return;
        yield value;
      }
      yield* body;
    },
    // `fetch` makes a generator of a Node stream, which listens to the stream once it is read, and aborts the request if that fails.
    ...(isOfFetch && {
      followUpload(): () => void {
        first ??= (body as AsyncGenerator).next();
        return () => undefined;
      },
    }),
    // A generator that was never started.
    unsent: () => finish(body),
  };
  return once;
}

/**
 * Keeps the chunks of a generator, so that each attempt sends it from the start. Several attempts may read at the same
 * time: an attempt whose response came early may still be uploading when the next one begins.
 */
function recordBody(source: AsyncGenerator<Uint8Array>, names: readonly string[]): RequestBody {
  const chunks: Uint8Array[] = [];
  let pulling: Promise<void> | undefined;
  /** Waits for the next chunk, or the end. */
  const pull = (): Promise<void> => {
    pulling ??= source.next().then(({ done, value }) => {
      pulling = undefined;
      if (!done) chunks.push(value);
    });
    return pulling;
  };
  const body = {
    replayable: true,
    take: () => dispatchChangesOf(body, names),
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
      for (let at = 0; ; at += 1) {
        if (at === chunks.length) await pull();
        const chunk = chunks[at];
        if (chunk === undefined) return;
        yield chunk;
      }
    },
    // fetch closes the source that it reads from.
    close: () => finish(source),
  };
  return body;
}

/** Calls a body factory for each attempt, and closes bodies that an attempt did not read to the end. */
function factoryBody(factory: () => unknown): RequestBody {
  /** The body for the next attempt. */
  let made: unknown = null;
  /** The body of the last attempt. */
  let taken: unknown = null;
  const release = (): void => {
    destroy(taken);
    taken = null;
  };
  const close = (): void => {
    release();
    destroy(made);
    made = null;
  };
  return {
    replayable: true,
    async make(state) {
      close();
      try {
        made = checkBody(await factory());
      } catch (cause) {
        throw cause instanceof HookError ? cause : new HookError('body', cause);
      }
      // It came when it was not needed any more.
      if (state.over) close();
    },
    take() {
      taken = made;
      made = null;
      return { body: taken };
    },
    release,
    close,
  };
}

function checkBody(body: unknown): unknown {
  if (typeof body === 'object' && body !== null && Readable.isDisturbed(body as Readable))
    throw new TypeError('the stream was read before; a factory must make a new one for each attempt');
  // A web stream cannot be cancelled while undici reads it.
  const readable = body instanceof ReadableStream ? Readable.fromWeb(body as WebStream) : body;
  // undici reports an error of the stream, but stops listening when the attempt ends.
  if (isNodeStream(readable)) readable.on('error', () => undefined);
  return readable;
}

/** A stream that is not read to its end would keep its file open. */
function destroy(body: unknown): void {
  if (isNodeStream(body)) body.destroy();
  else if (typeof body === 'object' && body !== null) finish(body);
}

function isNodeStream(body: unknown): body is Readable {
  const { pipe, destroy }: Partial<Readable> = body ?? {};
  return typeof pipe === 'function' && typeof destroy === 'function';
}

/** Runs the `finally` blocks of a generator. Not awaited: a generator inside an `await` runs the blocks only after the `await`. */
function finish(body: object): void {
  const { next, return: end }: { next?: unknown; return?: unknown } = body;
  if (typeof next !== 'function' || typeof end !== 'function') return;
  new Promise((resolve) => resolve(end.call(body, undefined))).catch(() => undefined);
}
