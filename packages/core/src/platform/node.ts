// The platform of Node, Bun, Deno and workers. web.ts has the same names. Selected by the conditions of "imports" in
// package.json. Keep imports minimal: everything imports this module.

/** The clients of Node see bodies end. */
export const seesBodiesEnd = true;

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(id: 'node:stream'): { readonly Readable: typeof Readable } | undefined;
    emitWarning?(warning: Error | string, type?: string): void;
  };
  reportError?(error: unknown): void;
}

declare class Readable {
  constructor(options: { objectMode: boolean; highWaterMark: number; read(this: Readable): void });
  push(part: unknown): void;
  destroy(error: unknown): void;
}

const host: NodeLike = globalThis;

/** Warns as Node does if possible, since `reportError` ends the process in Deno. A warning is a line. */
export function emit(warning: Error): void {
  const { process, reportError } = host;
  warning.message = oneLine(warning.message);
  if (typeof process?.emitWarning === 'function')
    try {
      process.emitWarning(warning);
    } catch {
      // In Jest an error is of another realm, which Node refuses.
      process.emitWarning(warning.message, warning.name);
    }
  else if (typeof reportError === 'function') reportError(warning);
}

/** No expression yet: an engine looks up these classes as it reads the file, which took 5 % of the import of a client. */
const UNSAFE = '[\\p{C}\\p{Zl}\\p{Zp}]';

/**
 * A text as one line of a log or a terminal. It may quote a server or a user: `?` stands for whatever starts another line, moves the
 * cursor, or changes how the text is read.
 */
export function oneLine(text: string): string {
  return text.replace(new RegExp(UNSAFE, 'gu'), '?');
}

/** Attaches a value to an object that belongs to others. Listings, copies and comparisons of the object do not show it. */
interface Metadata<T> {
  set(on: object, value: T): unknown;
  get(on: object): T | undefined;
}

/** A constructor that returns its argument: a subclass adds its private fields to the argument. */
const Given = function given(object: object): object {
  return object;
} as unknown as new (
  object: object,
) => object;

/**
 * A `WeakMap` in the shape of a private field that a constructor adds. Adding the field takes about 15 ns, a tenth of a `WeakMap`
 * or a hidden property, and every response gets one.
 */
export function makeMetadata<T>(): Metadata<T> {
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

/** The part of a Node stream in use. */
interface NodeStream {
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  on(event: string, listener: (part?: unknown) => void): unknown;
}

const ignore = (): void => undefined;

/** The part of an upload in use. */
interface NodeUpload {
  readonly destroyed?: boolean;
  readonly readableEnded?: boolean;
  readonly errored?: unknown;
  on(event: string, listener: (part?: unknown) => void): unknown;
  off(event: string, listener: (part?: unknown) => void): unknown;
}

/** The parts of a form of the `form-data` package, each text, a stream, or a wrapper with the stream as `source`. */
function partsOf(body: object): readonly unknown[] {
  const { _streams: parts }: { readonly _streams?: unknown } = body;
  return Array.isArray(parts) ? parts.map((part) => part?.source ?? part) : [];
}

const survived = /* @__PURE__ */ new WeakSet<object>();

/**
 * Listens to the errors of an upload: one of a Node stream that no one listens to would end the process.
 *
 * @param survive called with each of its parts
 */
export function surviveNodeUpload(body: NodeUpload, survive: (part: unknown) => void): void {
  if (survived.has(body)) return;
  survived.add(body);
  body.on('error', ignore);
  partsOf(body).forEach((part) => void survive(part));
}

/** Closes the parts of an upload. */
export function closeNodeParts(body: NodeUpload, close: (part: unknown) => void): void {
  partsOf(body).forEach((part) => void close(part));
}

/** Follows an upload, and returns a function to stop this. */
type Follow = (body: unknown, failed: (error: unknown) => void) => () => void;

/**
 * Calls `failed` with the error of an upload. Returns a function to stop this.
 *
 * @param follow follows each of its parts
 */
export function followNodeUpload(
  body: NodeUpload,
  failed: (error: unknown) => void,
  follow: Follow,
): () => void {
  const closed = (): void => {
    // Destroyed without an error: the message is that of Node.
    if (!body.readableEnded) failed(body.errored ?? new Error('Premature close'));
  };
  // A stream of old has no `readableEnded`.
  const ended = (): unknown => body.off('close', closed);
  body.on('error', failed);
  body.on('close', closed);
  body.on('end', ended);
  // Holds a flowing stream, whose data would be lost. The output of a child process flows once the process has ended.
  body.on('readable', ignore);
  if (body.destroyed) closed();
  const parts = partsOf(body).map((part) => follow(part, failed));
  return () => {
    body.off('error', failed);
    body.off('end', ended);
    body.off('readable', ignore);
    ended();
    for (const forget of parts) forget();
  };
}

/** The target into which a body is read. */
interface ReadTarget {
  limit(): void;
  take(part: unknown): void;
  end(isWhole: boolean, error?: unknown): void;
  giveUp(): void;
}

/** Reads a Node stream. */
export function readNode(body: NodeStream, into: ReadTarget): void {
  // Never removed: a stream may still emit an error after it was destroyed.
  body.on('error', (error) => into.end(false, error));
  body.on('close', () => into.end(false));
  body.on('end', () => into.end(true));
  into.limit();
  if (body.destroyed || body.readableEnded) into.end(body.readableEnded === true);
  else body.on('data', (part) => into.take(part));
}

/**
 * A Node stream with these parts, which then ends, or fails with the error if there is one; `undefined` in a worker without such
 * streams.
 *
 * @param like the stream that it takes the place of
 */
export function nodeStream(
  parts: readonly unknown[],
  error: unknown,
  like: { readonly readableObjectMode?: boolean },
): unknown {
  const { Readable } = host.process?.getBuiltinModule?.('node:stream') ?? {};
  let next = 0;
  const stream =
    Readable &&
    new Readable({
      objectMode: like.readableObjectMode === true,
      // Nothing is read ahead: an error would discard the parts before it.
      highWaterMark: 0,
      read() {
        if (next < parts.length) this.push(parts[next++]);
        else if (error === undefined) this.push(null);
        else this.destroy(error);
      },
    });
  // No connection is behind it, and node-fetch does not read one whose body has broken.
  return stream && Object.assign(stream, { complete: true });
}

/** Lets the process end while a timer is pending. The timers of Deno may be numbers, and a stub may return anything. */
export function letExit(timer: unknown): void {
  const { Deno } = globalThis as { readonly Deno?: { unrefTimer?(timer: number): void } };
  if (typeof timer === 'number') Deno?.unrefTimer?.(timer);
  else (timer as { unref?(): void } | null | undefined)?.unref?.();
}

/** By code and message: a proxy has refused a tunnel, which undici reports as an abort. */
const NO_TUNNEL = /^(UND_ERR_(PRX_CONN|SOCKS5_REPLY_\d+|ABORTED Proxy response)|ERR_PROXY_TUNNEL) /;

/**
 * The kind of failure of an error of Node or undici, if its code alone does not tell it; else `undefined`. undici has one code,
 * UND_ERR_INFO, for most errors of HTTP/2.
 *
 * Streams above the last one of a GOAWAY were not processed (RFC 9113 §8.7). undici from 8.2 on gives the error of a GOAWAY to those
 * alone. Older versions give it to any stream. They do not have the function `getGoAwayError`, and no UND_ERR_INFO for a GOAWAY.
 */
export function kindOfNode(
  code: string,
  message: string,
  error: { readonly stack?: unknown },
): 'connect' | 'network' | 'timeout' | undefined {
  const isInfo = code === 'UND_ERR_INFO';
  if (message.includes('"GOAWAY"') && (isInfo || String(error.stack).includes('getGoAwayError')))
    return 'connect';
  if (NO_TUNNEL.test(`${code} ${message}`)) return 'connect';
  if (!isInfo || !/^HTTP\/2: (?!Extended)/.test(message)) return undefined;
  return message.includes('"stream timeout') ? 'timeout' : 'network';
}

/**
 * By kind: error codes of Node, undici and Bun, and the messages of errors of Node, Bun, Deno and workers that have neither a code nor a name of
 * their own. Deno's are the chain of errors of its HTTP library, and may end with a text of the system in any language. The first that matches
 * applies. "Failed to fetch" and "Network error" are those of msw.
 */
export const NODE_KINDS: readonly (readonly ['aborted' | 'connect' | 'network' | 'timeout', RegExp])[] = [
  ['aborted', /^UND_ERR_ABORTED$/],
  // Nothing was sent: no connection, or a stream that the server refused before processing.
  [
    'connect',
    /^(UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$|\b(tcp connect|dns) error: |\brefused stream before processing\b/,
  ],
  ['timeout', /^(UND_ERR_(HEADERS|BODY)_TIMEOUT|Timeout)$|timed out \(os error/],
  [
    'network',
    /^(UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE|ERR_HTTP2_((STREAM_|SESSION_)?ERROR|(GOAWAY|INVALID)_SESSION)|ConnectionClosed|(fetch failed|failed to fetch|terminated|socket hang up|network connection lost|network error|a network error occurred)\.?)$/i,
  ],
  [
    'network',
    /^error sending request for url \(\S*\)(: (?!.*(certificate|redirect))|$)|\bconnection (closed|error|reset)\b|\bfrom connection$/i,
  ],
];
