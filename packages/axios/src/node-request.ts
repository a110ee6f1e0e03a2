import type { Origin } from './response.ts';

/** What the `request` of axios's http adapter shows: a request of Node, or of `follow-redirects`. */
export interface NodeRequest {
  /** `follow-redirects`: the last hop's request refers to the one that follows; an error carries that one itself. */
  readonly _redirectable?: NodeRequest;
  readonly _redirectCount?: number;
  readonly _currentUrl?: string;
  /** `null` until it has arrived. */
  readonly res?: {
    readonly statusCode?: number;
    readonly headers?: object;
    readonly headersDistinct?: Readonly<Record<string, string[] | undefined>>;
  } | null;
  readonly writableFinished?: unknown;
  destroy?(): unknown;
}

/** The hop that an outcome came from; `undefined` if `follow-redirects` has not sent the request. */
export function lastHop(request: NodeRequest): Origin | undefined {
  const { _redirectCount: hops, _currentUrl: url } = request._redirectable ?? request;
  if (typeof hops !== 'number') return undefined;
  return hops === 0 ? { redirected: false } : { redirected: true, url };
}

/** Every `Retry-After` line. Node's `headers` keep only the first, which may be the shorter one. */
export function everyRetryAfter(request: NodeRequest): string | undefined {
  return request.res?.headersDistinct?.['retry-after']?.join(', ');
}

/** The response that has arrived, though its body could not be read. */
export function received({ res }: NodeRequest): { status: number; headers: unknown } | undefined {
  return res ? { status: res.statusCode ?? 0, headers: res.headers } : undefined;
}

/** Destroys a request whose upload is unfinished: a server that has already responded may never read the rest. */
export function abortUpload(request: NodeRequest): void {
  if (request.writableFinished === false) request.destroy?.();
}

/** axios's messages for a connection that breaks in the middle of a body; older versions use the second. */
const BROKEN_BODY = /^(stream has been aborted|maxContentLength size of -1 exceeded)$/;

export function breaksBody(message: unknown): boolean {
  return typeof message === 'string' && BROKEN_BODY.test(message);
}
