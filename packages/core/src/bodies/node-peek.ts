import { nodeStream } from '#platform';
import { type BodyWatcher, bytesOf, type Peek } from '../http/body.ts';

/** The members of a Node stream by which a part can be read and put back. */
interface NodeSource {
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  readonly readableObjectMode?: boolean;
  readonly readableLength: number;
  readonly readableHighWaterMark: number;
  readonly readableFlowing: boolean | null;
  readonly readableEncoding?: string | null;
  readonly errored?: unknown;
  /** There is no public sign that a stream will end before its `end` event, which comes once. */
  readonly _readableState: { readonly ended: boolean };
  read(size: number): unknown;
  push(part: unknown, encoding?: string): boolean;
  unshift(part: unknown, encoding?: string): unknown;
  listenerCount(event: string): number;
  on(event: string, listener: (error?: unknown) => void): unknown;
  removeListener(event: string, listener: (error?: unknown) => void): unknown;
}

/** True if parts can be put back. A stream with a reader would pass on the parts twice. */
function canPutBack(stream: Partial<NodeSource>): stream is NodeSource {
  const { unshift, readableLength, _readableState, readableFlowing } = stream;
  return (
    typeof unshift === 'function' &&
    typeof readableLength === 'number' &&
    typeof _readableState?.ended === 'boolean' &&
    readableFlowing !== true &&
    stream.listenerCount?.('data') === 0
  );
}

/**
 * A look at the beginning of a Node stream. The parts read go back into the stream, so that the caller has the same stream, with
 * its backpressure, its errors and its `destroy`. Only a stream that ends or fails during the look is replaced by a copy: its
 * last events come once, and the copy emits them when it is read.
 */
export class NodePeek implements Peek {
  readonly #replace: (copy: unknown) => void;
  readonly #stream: NodeSource;
  readonly #parts: unknown[] = [];
  #error: unknown;
  #isWatched = false;
  #wake: () => void = () => undefined;

  /**
   * @param replace called with the copy that takes the place of a stream which has ended or failed
   * @returns `undefined` for an ended stream, and for a stream that takes nothing back
   */
  static at(stream: object, replace: (copy: unknown) => void): NodePeek | undefined {
    if (!canPutBack(stream) || stream.readableEnded) return undefined;
    return new NodePeek(stream, replace);
  }

  private constructor(stream: NodeSource, replace: (copy: unknown) => void) {
    this.#replace = replace;
    this.#stream = stream;
    stream.on('error', this.#onError);
    stream.on('end', this.#onChange);
    stream.on('close', this.#onChange);
  }

  readonly #onChange = (): void => this.#wake();

  readonly #onError = (error: unknown): void => {
    this.#error ??= error;
    this.#wake();
  };

  async read(): Promise<Uint8Array | undefined> {
    const stream = this.#stream;
    for (;;) {
      if (stream.readableLength > 0 && !this.#isBroken) return this.#take();
      if (stream.readableEnded || (stream._readableState.ended && !this.#isBroken)) return undefined;
      if (this.#isBroken) throw this.#reason;
      await this.#change();
    }
  }

  #take(): Uint8Array {
    const stream = this.#stream;
    const { readableLength, readableHighWaterMark } = stream;
    // Never more than there is: that would make a stream emit its end. A larger number would raise its high water mark.
    const size = stream.readableObjectMode
      ? 1
      : Math.min(readableLength, readableHighWaterMark || readableLength);
    const part = stream.read(size);
    this.#parts.push(part);
    return bytesOf(part);
  }

  #change(): Promise<void> {
    // Not before it is needed: this listener would make a stream without bytes emit its end.
    if (!this.#isWatched) this.#stream.on('readable', this.#onChange);
    this.#isWatched = true;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  get #isBroken(): boolean {
    return this.#error !== undefined || (this.#stream.destroyed && !this.#stream.readableEnded);
  }

  get #reason(): unknown {
    return (
      this.#error ?? this.#stream.errored ?? new Error('The body of the response was closed before its end')
    );
  }

  watch(watcher: BodyWatcher, ended: () => void): void {
    const stream = this.#stream;
    // Parts that another look has put back are not pushed again.
    while (stream.readableLength > 0 && !this.#isBroken) this.#take();
    for (const part of this.#parts) watcher.part(bytesOf(part));
    const isOver = this.#isBroken || stream._readableState.ended;
    this.stop();
    if (isOver) ended();
    else watchPushes(stream, watcher, ended);
  }

  stop(): void {
    const stream = this.#stream;
    for (const event of ['readable', 'end', 'close']) stream.removeListener(event, this.#onChange);
    if (this.#isBroken || stream.readableEnded) {
      // The listener for errors stays: one may still come.
      const error = this.#isBroken ? this.#reason : undefined;
      this.#replace(nodeStream(this.#parts, error, stream));
      return;
    }
    stream.removeListener('error', this.#onError);
    for (const part of this.#parts.reverse()) stream.unshift(part, stream.readableEncoding ?? undefined);
  }
}

/**
 * Watches the parts that arrive in a stream. Not as a listener for `data`, which would have it flow, nor as one for `readable`,
 * which would keep it from flowing.
 */
function watchPushes(stream: NodeSource, watcher: BodyWatcher, ended: () => void): void {
  const { push } = stream;
  stream.push = function pushWatched(part, encoding) {
    if (part !== null) watcher.part(bytesOf(part));
    return push.call(stream, part, encoding);
  };
  stream.on('end', ended);
  // A stream that fails also closes.
  stream.on('close', ended);
}
