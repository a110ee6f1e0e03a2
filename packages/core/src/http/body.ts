import { closeNodeParts, followNodeUpload, surviveNodeUpload } from '#platform';
import { isObject } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import type { RequestTraits } from './outcome.ts';

/** A request body up to this size is kept in memory for a retry: 1 MiB, as gRPC keeps for a call. */
export const MOST_KEPT_BYTES: number = 1_048_576;

/** The length of a buffer, in bytes; `undefined` for anything else. A buffer that was transferred to a worker has 0. */
export function bufferBytes(body: unknown): number | undefined {
  const { byteLength }: { byteLength?: unknown } = body ?? {};
  return typeof byteLength === 'number' ? byteLength : undefined;
}

/** A part of a body as bytes: text in UTF-8, a buffer or a view of one. None for anything else. */
export function bytesOf(part: unknown): Uint8Array {
  if (typeof part === 'string') return new TextEncoder().encode(part);
  // By shape: a test runner may give each test file a `Uint8Array` of its own.
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  return bufferBytes(part) === undefined ? new Uint8Array() : new Uint8Array(part as ArrayBuffer);
}

/** The part of a Node stream that ebb uses. node-fetch and axios have Node streams as bodies. */
export interface NodeReadable {
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  readonly writableEnded?: boolean;
  readonly complete?: boolean;
  readonly readableObjectMode?: boolean;
  readonly errored?: unknown;
  on(event: string, listener: (part?: unknown) => void): unknown;
  off(event: string, listener: (part?: unknown) => void): unknown;
  destroy?(error?: Error): unknown;
}

/**
 * A request body as policies may see it; `undefined` for a stream or an iterator, which are read only by the client, and for a
 * function that makes the body.
 */
export function readableBody(body: unknown): unknown {
  if (typeof body === 'function' || body === null) return undefined;
  if (typeof body !== 'object') return body;
  const { next }: { next?: unknown } = body;
  const isRead =
    isWebReadable(body) || isNodeReadable(body) || Symbol.asyncIterator in body || typeof next === 'function';
  return isRead ? undefined : body;
}

/** True for a body that is used up when it is sent: web and Node streams, the `form-data` package, iterators. */
export function isSingleUse(body: unknown): body is object {
  return isObject(body) && readableBody(body) === undefined;
}

/** The ways in which a single-use body can be closed. */
interface ClosableBody {
  readonly readableEnded?: unknown;
  destroy?(): unknown;
  return?(): unknown;
}

const ignore = (): void => undefined;

function surviveUpload(body: unknown): void {
  if (isNodeReadable(body)) surviveNodeUpload(body, surviveUpload);
}

/** Calls `failed` with the error of an upload, and returns a function to stop this, which is called before the upload is sent or closed. */
export type FollowUpload = (failed: (error: unknown) => void) => () => void;

/**
 * Takes a body, whose errors no longer end the process. Returns a function to follow the errors of the body until its send,
 * earlier errors included; `undefined` for a body that can be sent again. A web stream is locked meanwhile, as it is by a client
 * that sends it.
 */
export function takeUpload(body: unknown): FollowUpload | undefined {
  if (!isSingleUse(body)) return undefined;
  surviveUpload(body);
  return (failed) => follow(body, failed);
}

function follow(body: unknown, failed: (error: unknown) => void): () => void {
  if (isWebReadable(body) && !body.locked) {
    const reader = body.getReader();
    let isOver = false;
    // Also rejects when the lock is released.
    reader.closed.catch((error: unknown) => isOver || failed(error));
    return () => {
      isOver = true;
      reader.releaseLock();
    };
  }
  return (isNodeReadable(body) ? followNodeUpload(body, failed, follow) : undefined) ?? ignore;
}

/**
 * Closes an upload when nothing reads it any more, so that a file behind it does not stay open. Leaves alone an ended body, a web
 * stream with a reader, and any other value. Never throws.
 */
export function closeUpload(body: unknown, reason?: unknown): void {
  if (!isSingleUse(body)) return;
  try {
    if (isWebReadable(body)) {
      if (!body.locked) body.cancel(reason).catch(() => undefined);
      return;
    }
    const { readableEnded, destroy, return: end }: ClosableBody = body;
    if (isNodeReadable(body)) closeNodeParts(body, closeUpload);
    // Destroyed without an error, but a file that is being opened may still fail.
    surviveUpload(body);
    if (!destroy) Promise.resolve(end?.call(body)).catch(() => undefined);
    else if (readableEnded !== true) destroy.call(body);
  } catch {
    // A custom stream may throw; there is nothing left to close.
  }
}

// By shape, because a body may come from another realm.

/** True for a web stream. */
export function isWebReadable(body: unknown): body is ReadableStream<Uint8Array> {
  const { getReader }: { getReader?: unknown } = body ?? {};
  return typeof getReader === 'function';
}

/** True for a readable stream of Node. */
export function isNodeReadable(body: unknown): body is NodeReadable {
  const { pipe, on }: { pipe?: unknown; on?: unknown } = body ?? {};
  return typeof pipe === 'function' && typeof on === 'function';
}

/** Members of a response that read its whole body; the last two belong to node-fetch. */
export const BODY_READERS: readonly string[] = [
  'json',
  'text',
  'arrayBuffer',
  'blob',
  'bytes',
  'formData',
  'buffer',
  'textConverted',
];

/**
 * The body of a response, opened for a look at its beginning. An adapter makes it so that the caller still gets the whole
 * body.
 */
export interface Peek {
  /** The next part of the decoded body; `undefined` at its end. Rejects if the body breaks. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the look. A `read` that is pending need not settle. */
  stop(): void;
  /** The body if the client has parsed it already: then nothing is read. */
  readonly parsed?: { readonly value: unknown } | undefined;
  /**
   * Ends the look, and watches the whole body from its beginning as it passes on its way to the caller. Missing if the client has
   * the whole body already.
   *
   * @param ended called when nothing more will be seen, once or more. The caller may get the end of the body once a returned
   *   promise has resolved, if the promise takes no more than a turn of the event loop
   */
  watch?(watcher: BodyWatcher, ended: () => unknown): void;
}

/** Sees a body pass. It cannot change it, and must not keep or change the part that it is given. */
export interface BodyWatcher {
  /** The next part of the decoded body, as bytes or text. */
  part(part: Uint8Array | string): void;
}

/** A body as a client has it: a stream, text, bytes, a `Blob`, or a value that the client has parsed. */
export interface Data {
  readonly data: unknown;
  /** The caller gets this in its place. */
  replace(data: unknown): void;
  /** The error for the caller after an abort; by default the reason of the signal. */
  abortError?(): unknown;
}

/** The body that an adapter has opened: a look of its own kind, or the data as they are. */
export type OpenedBody = Peek | Data | undefined;

/** The context of a look at a response. */
export interface InspectionContext {
  readonly request: RequestTraits;
  /** From 1. */
  readonly attempt: number;
  /** Opens the body, of which no more than `maxBytes` are needed; `undefined` if there is none. */
  readonly open: (maxBytes: number) => Peek | undefined;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** The context by which the end of a response body is found. */
export interface BodyContext {
  /** Upper case. */
  readonly method: string;
  readonly status: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}
