import { inNextTurn, nextTurn } from '../base/clock.ts';
import { isPromise } from '../base/errors.ts';
import type { Clock } from '../base/time.ts';
import {
  type BodyWatcher,
  bufferBytes,
  bytesOf,
  type Data,
  isNodeReadable,
  isWebReadable,
  type OpenedBody,
  type Peek,
} from '../http/body.ts';
import { MOST_READ_AHEAD_BYTES } from '../http/headers.ts';
import { NodePeek } from './node-peek.ts';
import { isByteStream, type PullSource, streamOver } from './streams.ts';

const nothing = (): void => undefined;

/** The caller of a body. */
interface Caller {
  /** Ends the body, even if the look has read it. */
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** A peek at a stream of either kind; `undefined` for anything else, and for one that someone reads. */
function peekAtStream({ data, replace, abortError }: Data, { signal, clock }: Caller): Peek | undefined {
  // Nothing can be put back into some streams of Node: they are not looked at.
  if (isNodeReadable(data)) return NodePeek.at(data, replace);
  if (!isWebReadable(data) || data.locked) return undefined;
  const check = (): void => {
    if (signal?.aborted) throw abortError?.() ?? signal.reason;
  };
  return new WebPeek(data, { clock, check, replace });
}

/** True for a file of the platform. */
function isBlob(data: unknown): data is Blob {
  const tag = Object.prototype.toString.call(data);
  return tag === '[object Blob]' || tag === '[object File]';
}

/** True for a value that a client has made of the text of a body. */
function isParsed(data: unknown): boolean {
  const tag = Object.prototype.toString.call(data);
  return typeof data !== 'object' || tag === '[object Object]' || tag === '[object Array]';
}

/**
 * Opens the body or the data of an adapter. `undefined` if there is no body with text or bytes, and for one that cannot be looked
 * at.
 *
 * @param mostBytes a longer body need not be passed on whole
 */
export function peekAt(opened: OpenedBody, mostBytes: number, caller: Caller): Peek | undefined {
  if (opened === undefined || 'read' in opened) return opened;
  const { data } = opened;
  if (data === undefined || data === '') return undefined;
  if (isNodeReadable(data) || isWebReadable(data)) return peekAtStream(opened, caller);
  // An extra byte shows that there is more. No character has less than one byte for each unit.
  const end = mostBytes + 1;
  if (typeof data === 'string') return peekAtPart(() => bytesOf(data.slice(0, end)));
  if (bufferBytes(data) !== undefined) return peekAtPart(() => bytesOf(data).subarray(0, end));
  // In Node 22 a Blob has nothing up to Infinity.
  if (isBlob(data)) {
    const start = data.slice(0, Math.min(end, data.size));
    return peekAtPart(async () => new Uint8Array(await start.arrayBuffer()));
  }
  // Nothing is read of it.
  return isParsed(data) ? { read: async () => undefined, stop: nothing, parsed: { value: data } } : undefined;
}

/** A look at a body that is in memory. */
export function peekAtPart(part: () => Uint8Array | Promise<Uint8Array>): Peek {
  let isRead = false;
  return {
    async read() {
      if (isRead) return undefined;
      isRead = true;
      return part();
    },
    stop: nothing,
  };
}

/**
 * Watches a body as it passes on its way to the caller: the same bytes, read when the caller reads them.
 *
 * @param ended called once or more: when the body has ended, failed, was cancelled or garbage-collected; at once if there is
 * none, or if its client does not show it. It must not hold the response, which could then never be collected
 */
export function watchBody(
  opened: OpenedBody,
  caller: Caller,
  watcher: BodyWatcher,
  ended: () => unknown,
): void {
  const peek = peekAt(opened, Infinity, caller);
  if (peek?.watch !== undefined) peek.watch(watcher, ended);
  else if (peek !== undefined) void readWhole(peek, watcher).then(ended, ended);
  else ended();
}

/** Watches a body that a client has whole. */
async function readWhole(peek: Peek, watcher: BodyWatcher): Promise<void> {
  if (peek.parsed !== undefined) watcher.part(JSON.stringify(peek.parsed.value));
  else for (let part = await peek.read(); part !== undefined; part = await peek.read()) watcher.part(part);
  peek.stop();
}

/** The time from a response to the read-ahead of its watched body, if no one reads the body, in milliseconds. */
const READ_AHEAD_AFTER_MS = 1_000;

/** The context of a look at a web stream. */
interface PeekContext {
  readonly clock: Clock;
  /** Takes the stream that the caller gets. Hazard: the stream must not hold an object that holds it. */
  replace(stream: ReadableStream<Uint8Array>): void;
  /** @throws the error of a read after an abort */
  check(): void;
}

type Result = ReadableStreamReadResult<Uint8Array>;

/** A look at the beginning of a web stream, which is replaced with one that begins with what the look has read. */
class WebPeek implements Peek {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #isOfBytes: boolean;
  readonly #clock: Clock;
  readonly #check: () => void;
  #replace: PeekContext['replace'] | undefined;
  /** The reads ahead of the caller, of which the last may be pending. */
  readonly #read: Promise<Result>[] = [];

  constructor(stream: ReadableStream<Uint8Array>, { clock, check, replace }: PeekContext) {
    this.#isOfBytes = isByteStream(stream);
    this.#reader = stream.getReader();
    this.#clock = clock;
    this.#check = check;
    this.#replace = replace;
  }

  async read(): Promise<Uint8Array | undefined> {
    const next = this.#reader.read();
    this.#read.push(next);
    const { done, value } = await next;
    return done ? undefined : bytesOf(value);
  }

  stop(): void {
    const reader = this.#reader;
    this.#pass(
      () => reader.read(),
      (reason) => reader.cancel(reason),
    );
  }

  watch(watcher: BodyWatcher, ended: () => unknown, aheadAfterMs: number = READ_AHEAD_AFTER_MS): void {
    const reader = this.#reader;
    let isOver = false;
    let reading = 0;
    let isRead = false;
    let cancelTimer: (() => void) | undefined;
    let learned: unknown;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      cancelTimer?.();
      learned = ended();
    };
    const see = ({ done, value }: Result): void => {
      reading -= 1;
      if (!done) watcher.part(bytesOf(value));
      if (done || isClosed) end();
    };
    const read = (): Promise<Result> => {
      reading += 1;
      const result = reader.read();
      result.then(see, end);
      return result;
    };
    // The reader of the whole body gets the result of the watcher, such as a cost, unless the result takes longer than a turn.
    const readLast = async (): Promise<Result> => {
      const result = await read();
      if (isPromise(learned)) await Promise.race([learned, nextTurn()]);
      return result;
    };
    // A reader that knows the length may never read the end. The part that is being read comes first.
    let isClosed = false;
    reader.closed.then(() => {
      isClosed = true;
      if (reading === 0) end();
    }, end);
    const readAhead = (): void => {
      if (!isRead) void this.#readAhead(read);
    };
    // Most bodies are read at once, and need no timer.
    inNextTurn(() => {
      if (isRead || isOver) return;
      if (aheadAfterMs === 0) readAhead();
      else cancelTimer = this.#clock.schedule(readAhead, aheadAfterMs, true);
    });
    const cancel = (reason: unknown): Promise<void> => {
      end();
      return reader.cancel(reason);
    };
    this.#pass(() => {
      isRead = true;
      return readLast();
    }, cancel);
  }

  async #readAhead(read: () => Promise<Result>): Promise<void> {
    try {
      for (let bytes = 0; bytes < MOST_READ_AHEAD_BYTES; ) {
        const next = read();
        this.#read.push(next);
        const { done, value } = await next;
        if (done) return;
        bytes += value.byteLength;
      }
    } catch {
      // For the caller to see.
    }
  }

  /** Gives the caller the parts that were read, and then those of `read`. */
  #pass(read: () => Promise<Result>, cancel: PullSource['cancel']): void {
    const pull = async (): Promise<Uint8Array | undefined> => {
      this.#check();
      const { done, value } = await (this.#read.shift() ?? read());
      return done ? undefined : value;
    };
    const replace = this.#replace;
    this.#replace = undefined;
    replace?.(streamOver({ pull, cancel, closed: this.#reader.closed }, this.#isOfBytes));
  }
}

const NO_WATCHER: BodyWatcher = { part: nothing };

/**
 * The same stream, watched: `ended` is called when its last part has arrived, when it fails, and when it is cancelled or
 * garbage-collected. A stream without an immediate reader is read up to 64 KiB ahead.
 */
export function watchWebStream(
  stream: ReadableStream<Uint8Array>,
  clock: Clock,
  ended: () => void,
): ReadableStream<Uint8Array> {
  let watched = stream;
  // Hazard: any other function made here would hold the stream as long as it is watched.
  const replace = (other: ReadableStream<Uint8Array>): void => {
    watched = other;
  };
  new WebPeek(stream, { clock, check: nothing, replace }).watch(NO_WATCHER, ended, 0);
  return watched;
}
