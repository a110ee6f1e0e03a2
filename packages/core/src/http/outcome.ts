/**
 * How an attempt failed.
 *
 * - `connect`: nothing reached the server
 * - `network`: the connection broke, possibly after the server has carried out the request
 * - `timeout`: no response in time, possibly after the server has carried out the request
 * - `aborted`: aborted by the caller
 * - `unknown`: anything else, such as a programming error
 */
export type FailureKind = 'connect' | 'network' | 'timeout' | 'aborted' | 'unknown';

/**
 * What an outcome means for a retry.
 *
 * - `success`: no retry is needed
 * - `refused`: the server did nothing, so any request may be retried
 * - `transient`: the server may have carried out the request, so only one that may be repeated is retried
 * - `final`: a retry does not help
 */
export type Verdict = 'success' | 'refused' | 'transient' | 'final';

/** What the body of a response says. A field that is missing leaves the question to the status and the headers. */
export interface Judgement {
  readonly verdict?: Verdict | undefined;
  /** The request must not be sent again before so many milliseconds have passed. */
  readonly waitMs?: number | undefined;
}

/** The result of one attempt, independent of the client. */
export type Outcome =
  | {
      readonly type: 'response';
      readonly status: number;
      /** A response header by its lower-case name. */
      header(name: string): string | undefined;
      /**
       * True if this is, or may be, the response of a redirect's target. It then says nothing about what the first
       * server has done, so it never counts as `refused`.
       */
      readonly redirected?: boolean | undefined;
      /** The URL that the response came from, if the client reports it: its quota fields are about that origin. */
      readonly url?: string | undefined;
      /** What `inspect` says of the response. */
      readonly judgement?: Judgement | undefined;
    }
  | {
      readonly type: 'failure';
      readonly kind: FailureKind;
      readonly error: unknown;
      /**
       * As above: true unless it is certain that the first hop failed, or that there was no other. If it is `false`,
       * and the kind is `connect`, the attempt returns its tokens.
       */
      readonly redirected?: boolean | undefined;
    };

/** What a policy needs to know about a request. Fields are read only when needed, so a success costs nothing. */
export interface RequestTraits {
  /** In upper case. */
  readonly method: string;
  readonly url: string;
  /** True if there is no body, or if it can be sent again. */
  readonly replayable: boolean;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /**
   * The body as the caller gave it to the client: a string, bytes, a form, or an object. axios has made the text of an object then.
   * `undefined` if there is none, for a stream, which is never read, for a function that makes the body, and for a `Request` and
   * the `fetch` of undici, which have a stream.
   */
  readonly body?: unknown;
}

/** The outcome of an attempt with a response. */
export type Responded = Extract<Outcome, { type: 'response' }>;
