import type { Clock } from '../base/clock.ts';
import type { RequestTraits } from './outcome.ts';

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
   * @param ended called when nothing more will be seen, once or more. The caller may get the end of the body once what it returns has
   *   resolved, if that takes no more than a turn of the event loop
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
  /** What the caller gets after an abort; by default the reason of the signal. */
  abortError?(): unknown;
}

/** What an adapter opens: a body of its own kind, or its data as they are. */
export type Opened = Peek | Data | undefined;

/** What a look at a response needs besides its outcome. */
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

/** What the end of a body depends on besides the response. */
export interface BodyContext {
  /** Upper case. */
  readonly method: string;
  readonly status: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}
