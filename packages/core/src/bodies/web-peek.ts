import { type Clock, inNextTurn, nextTurn } from '../base/clock.ts';
import { isPromise } from '../base/promise.ts';
import { bytesOf } from '../http/body.ts';
import { MOST_READ_AHEAD_BYTES } from '../http/ceilings.ts';
import type { BodyWatcher, Peek } from '../http/peek.ts';
import { isByteStream, type PullSource, streamOver } from './streams.ts';

/** A body that is watched, and that no one reads, is read ahead so long after its response, in milliseconds. */
const READ_AHEAD_AFTER_MS = 1_000;

/** What a web stream is looked at for. */
export interface Replacing {
  readonly clock: Clock;
  /** Takes the stream that the caller gets. Hazard: what holds it must not be held by that stream. */
  replace(stream: ReadableStream<Uint8Array>): void;
  /** @throws what reading fails with after an abort */
  check(): void;
}

type Result = ReadableStreamReadResult<Uint8Array>;

/** A look at the beginning of a web stream, which is replaced with one that begins with what the look has read. */
export class WebPeek implements Peek {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #isOfBytes: boolean;
  readonly #clock: Clock;
  readonly #check: () => void;
  #replace: Replacing['replace'] | undefined;
  /** What was read ahead of the caller, and then the read that is pending. */
  readonly #read: Promise<Result>[] = [];

  constructor(stream: ReadableStream<Uint8Array>, { clock, check, replace }: Replacing) {
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
    // Who has read all of it finds what was learned from it, such as its cost, unless that takes longer than a turn.
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

const nothing = (): void => undefined;
const NO_WATCHER: BodyWatcher = { part: nothing };

/**
 * The same stream, watched: `ended` is called when its last part has arrived, when it fails, and when it is cancelled or
 * garbage-collected. One that no one reads at once is read up to 64 KiB ahead.
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
