import { Readable } from 'node:stream';
import { MOST_KEPT_BYTES } from '@ebb/core/adapter';
import type { Dispatcher } from 'undici';
import { headerPairs, type RequestHeaders } from '../headers.ts';
import { factoryBody } from './body-factory.ts';
import { type DispatchChanges, finish, type RequestBody } from './request-body.ts';

/** Where `fetch` puts the body for a MockAgent that lets the request through; the same object as `body` otherwise. */
const FETCH_BODY = '__mockAgentBodyForDispatch';

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
  const { isDisturbed } = Readable;
  /** `undici.pipeline` gives every request a stream, even if there is nothing to send. */
  const wasEmpty = (): boolean => {
    const { readableEnded, readableDidRead } = body as Readable;
    return readableEnded && !readableDidRead;
  };
  return {
    get replayable() {
      // Streams that are not Node's own (that of the form-data package, say) do not report whether they were read.
      const reportsReads = body instanceof ReadableStream || typeof body.readableDidRead === 'boolean';
      return wasEmpty() || (reportsReads && !isAbandoned && !isDisturbed(body as Readable));
    },
    take: () => (wasEmpty() ? { body: null } : undefined),
    abandoned() {
      isAbandoned = true;
    },
    unsent(reason) {
      if (!(body instanceof ReadableStream)) body.destroy();
      else if (!body.locked) body.cancel(reason).catch(() => undefined);
    },
  };
}

/** @param names the options that hold the body */
function carried(body: object, names: readonly string[]): DispatchChanges {
  return Object.fromEntries(names.map((name) => [name, body]));
}

/** An iterable. It is sent again only if its first chunk was never requested. */
function sentOnce(body: AsyncIterable<unknown>, names: readonly string[]): RequestBody {
  const once = {
    replayable: true,
    take: () => carried(once, names),
    async *[Symbol.asyncIterator](): AsyncGenerator<unknown> {
      once.replayable = false;
      yield* body;
    },
    // A generator that was never started.
    unsent: () => finish(body),
  };
  return once;
}

/**
 * Keeps the chunks of a generator, so that each attempt sends it from the start. Several attempts may read at the same
 * time: an attempt whose response came early may still be uploading when the next one begins.
 */
function recording(source: AsyncGenerator<Uint8Array>, names: readonly string[]): RequestBody {
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
  const recorded = {
    replayable: true,
    take: () => carried(recorded, names),
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
  return recorded;
}

/**
 * True for the generator that `fetch` makes of a body of known, small length: a string, buffer, blob or form, never a
 * stream. The generator is all that a dispatcher gets, and it can be read only once, so its chunks are recorded.
 */
function isRecordable(headers: RequestHeaders): boolean {
  let length = Number.NaN;
  let isFetch = false;
  for (const [name, value] of headerPairs(headers)) {
    if (name === 'content-length') length = Number(value);
    else if (name === 'sec-fetch-mode') isFetch = true;
  }
  return isFetch && length <= MOST_KEPT_BYTES;
}

function tagOf(body: object): string {
  return Object.prototype.toString.call(body).slice(8, -1);
}

/** @param names the options that hold the body */
function iterableBody(body: object, headers: RequestHeaders, ...names: readonly string[]): RequestBody {
  return tagOf(body) === 'AsyncGenerator' && isRecordable(headers)
    ? recording(body as AsyncGenerator<Uint8Array>, names)
    : sentOnce(body as AsyncIterable<unknown>, names);
}

/** The body of a request; `undefined` if the options can be dispatched again as they are, or undici refuses the body. */
export function bodyOf(options: Dispatcher.DispatchOptions): RequestBody | undefined {
  const { headers } = options;
  const body: unknown = options.body;
  const { [FETCH_BODY]: fetchBody }: { readonly [FETCH_BODY]?: object | null } & Dispatcher.DispatchOptions =
    options;
  if (fetchBody) {
    return iterableBody(fetchBody, headers, FETCH_BODY, ...(fetchBody === body ? ['body'] : []));
  }
  if (typeof body === 'function') return factoryBody(body as () => unknown);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return bytesBody(body);
  if ('pipe' in body || 'getReader' in body) return streamBody(body as Readable);
  // A FormData is iterable as well, but undici reads it anew for each dispatch.
  if (tagOf(body) === 'FormData' || !(Symbol.asyncIterator in body || Symbol.iterator in body)) {
    return undefined;
  }
  return iterableBody(body, headers, 'body');
}
