/** A response of the upstream. */
interface ScriptedResponse {
  readonly status: number;
  /** Each value of a list is sent as a header line of its own. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
  /** Redirects to the first origin of the upstream, or to another one. */
  readonly to?: 'first' | 'other';
}

/** The behaviour of the upstream for one request: a response, or a fault as of real servers. */
export type Step =
  | ScriptedResponse
  /** Breaks the connection before the first byte of a response. */
  | 'reset'
  /** A 200 with a content-length of ten whose connection breaks after five bytes. */
  | 'half-body'
  /** The same with a status of 503. */
  | 'half-503'
  /** The first with an ETag, so that the rest can be requested. */
  | 'half-download'
  /** An event stream whose connection breaks in the middle of its second event. */
  | 'half-stream'
  /** The rest of `half-stream` for a request with `Last-Event-ID`, otherwise all of it. */
  | 'rest-of-stream'
  /** A 503 whose body begins and never ends. */
  | 'endless-503'
  /** A 200 whose body begins and never ends. */
  | 'endless-200'
  /** Reads the request and never responds. */
  | 'hang'
  /** A 503 right after the request headers, without reading the request body. */
  | 'early-503'
  /** The rest of `half-download` for a request with `Range`, otherwise all of it. */
  | 'rest-of-download'
  /** A 200 whose body comes in two parts, some turns of the event loop apart. */
  | 'slow-200'
  /** A 200 that starts some turns of the event loop after the request. */
  | 'late-200'
  /** A 200 whose second half comes after `letGo`. */
  | 'held-200';

/** The steps for the first request, the second, and so on; `'refused'` if nothing listens. */
export type Script = readonly Step[] | 'refused';

/** A request as the upstream received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The part of the body that had arrived when the upstream acted. */
  readonly body: string;
}

/** The server that answers the requests of one row. */
export interface Upstream {
  readonly url: string;
  /** The requests in the order in which they came. Read after {@link close}. */
  readonly seen: readonly ReceivedRequest[];
  /** How many connections were opened. Read after {@link close}. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * Starts an upstream that performs one step of the script for each request, and repeats the last.
 *
 * @param onHang called when a `hang` begins, or an `endless-` body has written its first part; absent if the row has none
 */
export type StartUpstream = (script: Script, onHang?: () => void) => Promise<Upstream>;

/** The events of `half-stream`. */
export const EVENTS: readonly string[] = ['id: 1\ndata: a\n\n', 'id: 2\ndata: b\n\n'];

export const up: Step = { status: 200, body: 'up' };
export const down: Step = { status: 503, body: 'down' };
