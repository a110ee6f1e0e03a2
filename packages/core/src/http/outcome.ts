/**
 * How an attempt failed.
 *
 * - `connect`: nothing reached the server, as without a tunnel through a proxy; or the server has processed nothing: it has
 *   refused an HTTP/2 stream, or its GOAWAY leaves the stream out
 * - `network`: the connection broke, possibly after the server has carried out the request
 * - `timeout`: no response in time, possibly after the server has carried out the request
 * - `aborted`: by the signal of the caller
 * - `unknown`: anything else, such as a programming error
 */
export type FailureKind = 'connect' | 'network' | 'timeout' | 'aborted' | 'unknown';

/**
 * The meaning of an outcome for a retry.
 *
 * - `success`: no retry is needed
 * - `refused`: the server did nothing, so any request may be retried
 * - `transient`: the server may have carried out the request, so only one that may be repeated is retried
 * - `final`: a retry does not help
 */
export type Verdict = 'success' | 'refused' | 'transient' | 'final';

/** The verdict on a response by its body. A missing field leaves the question to the status and the headers. */
export interface InspectResult {
  readonly verdict?: Verdict | undefined;
  /** The request must not be sent again before so many milliseconds have passed. */
  readonly waitMs?: number | undefined;
}

/** The advice of an inspector on a response. */
export interface InspectAdvice extends InspectResult {
  /**
   * The request is sent again at once, which counts as no retry, and costs no budget. It holds once for a call, and not for a request
   * whose body cannot be sent again: the verdict then decides. A text is the reason in events and the history, which is `refused` for
   * `true`.
   */
  readonly retryNow?: boolean | 'stale-connection' | undefined;
  /** Why the request is not sent again: the `error` of its end. */
  readonly cause?: unknown;
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
      /** The URL that the response came from, if the client reports it. The quota fields are about its origin. */
      readonly url?: string | undefined;
      /** The advice of `inspect` and of plugins on the response. */
      readonly advice?: InspectAdvice | undefined;
      /** The error that a function of `retry` has thrown. The status of the outcome is the status of the error. */
      readonly error?: unknown;
    }
  | {
      readonly type: 'failure';
      readonly kind: FailureKind;
      readonly error: unknown;
      /**
       * As above: `false` only if the first hop has certainly failed, or was the only one. If it is `false`, and the kind is
       * `connect`, the attempt returns its tokens.
       */
      readonly redirected?: boolean | undefined;
      /** Whether the connection had carried a request before this one, if that is known. */
      readonly connection?: 'new' | 'reused' | undefined;
      /** The advice of plugins on the failure. */
      readonly advice?: InspectAdvice | undefined;
    };

/** The part of a request that a policy reads. Fields are read only when needed, so a success costs nothing. */
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
export type ResponseOutcome = Extract<Outcome, { type: 'response' }>;

/** The outcome of an attempt without a response. */
export type FailureOutcome = Extract<Outcome, { type: 'failure' }>;

/** The origin that was returned last, and how the URLs of most of its requests start. */
let lastOrigin = '';
let lastStart = '';

/** Scheme, host and port of a URL; the URL itself if it cannot be parsed. */
export function originOf({ url }: Pick<RequestTraits, 'url'>): string {
  // Not by `startsWith`, which V8 compiles to a loop over characters: 1,300 instructions for a short origin.
  if (url.slice(0, lastStart.length) === lastStart && lastStart !== '') return lastOrigin;
  const origin = URL.parse(url)?.origin;
  if (origin === undefined) return url;
  // The text after the slash cannot change the origin. The URL of a file, for example, has an opaque origin, `null`.
  if (origin !== 'null') {
    lastOrigin = origin;
    lastStart = `${origin}/`;
  }
  return origin;
}

/** The same response with advice. */
export function withAdvice(outcome: ResponseOutcome, advice: InspectAdvice): ResponseOutcome {
  const { type, status, redirected, url } = outcome;
  return { type, status, redirected, url, advice, header: (name) => outcome.header(name) };
}

/** An event of an event stream. Source: WHATWG HTML, "Server-sent events". */
export interface ServerEvent {
  /** Its name; `message` if it has none. */
  readonly event: string;
  /** Its data lines, joined by line feeds. */
  readonly data: string;
}

/**
 * A response as `inspect` and `actualCost` see it. The body is read only when it is asked for, up to `maxBytes` and for up to
 * `timeoutMs`. The caller gets the same bytes afterwards, and a body that is longer goes on arriving as it is read.
 *
 * `actualCost` sees an event stream event by event: its body is then the data of the event that passes by.
 */
export interface InspectedResponse {
  readonly status: number;
  /** A response header by its lower-case name. */
  header(name: string): string | undefined;
  readonly request: RequestTraits;
  /** The attempt, from 1. */
  readonly attempt: number;
  /** The body as text; what has arrived within the bounds if it is longer, or breaks. Malformed UTF-8 is replaced. */
  text(): Promise<string>;
  /** The body as JSON; `undefined` if it is none, or does not end within the bounds. */
  json(): Promise<unknown>;
  /**
   * The first event of an event stream that is not a `ping`; `undefined` if there is none within the bounds. Resolves as
   * soon as the event has arrived.
   */
  firstEvent(): Promise<ServerEvent | undefined>;
}

/** The feedback in a response, about the quota of the client and about a retry. */
export interface Feedback {
  /** How long to send no requests, in milliseconds; 0 if the server does not ask for a pause. */
  readonly pauseMs: number;
  /** How many more requests, or other units, the server accepts now; `undefined` if it does not say. */
  readonly remaining: number | undefined;
  /** True if the request was refused because the rate was too high. */
  readonly tooFast: boolean;
  /**
   * How long not to send this request again, in milliseconds.
   * @default pauseMs
   */
  readonly waitMs?: number | undefined;
  /** Whether the server says that this request should be sent again; `undefined` if it does not say. */
  readonly shouldRetry?: boolean | undefined;
}

/**
 * Reads an outcome; `undefined` if it says nothing reliable.
 *
 * @param cost the tokens of the request, for quotas that count something else than requests; at a bucket of several units the
 * tokens of each
 */
export interface ReadFeedback {
  (outcome: Outcome, nowMs: number, cost?: FeedbackCost): Feedback | undefined;
  /** True if `remaining` comes from header fields, which may be about something else than the tokens of a request. */
  readonly readsFields?: true;
}

/** Tokens, or by unit. */
export type FeedbackCost = number | Readonly<Record<string, number>>;
