/** A response header by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined;

/** Where the body of a response has got to, so that another response can go on from there. No I/O. */
export interface Resumable {
  /**
   * Takes the bytes that have arrived, and returns those that may be passed on, unchanged. `undefined` if this cannot be the rest
   * that was asked for: its body must not be passed on. May return views of the part.
   */
  take(part: Uint8Array): readonly Uint8Array[] | undefined;
  /** True if nothing more has to come. */
  readonly isDone: boolean;
  /** True if the body is whole when its response ends without an error. */
  readonly mayEnd: boolean;
  /** What was kept back, for a body that has ended. */
  left(): readonly Uint8Array[];
  /** What the server asks to wait before the request for the rest, in milliseconds. */
  readonly retryMs?: number | undefined;
  /** The id of the last event of a stream; `undefined` before the first. */
  readonly lastId?: string | undefined;
  /** Why the rest cannot be asked for; `undefined` if it can. */
  readonly lost: string | undefined;
  /** The headers of a request for the rest, in lower case. `undefined` removes one. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Why a response is not the rest; `undefined` if it is. */
  mismatch(status: number, header: ReadHeader): string | undefined;
  /** The body of the rest begins. What was kept back of the one before comes again in it. */
  begin(): void;
}
