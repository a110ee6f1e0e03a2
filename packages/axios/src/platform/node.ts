// adapter. web.ts has the same names. Selected by the conditions of "imports" in package.json.
import type { Clock } from '@ebb/core';
import { isNodeReadable, property, whenArrived } from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';

export { mayBeSentAtOnce } from '@ebb/core/adapter';
export { sendAtOnce } from '../at-once.ts';
export { formBody } from '../request-body.ts';

/** Which hop an outcome came from. */
export interface Origin {
  /** True unless it is certain that no redirect was followed. */
  readonly redirected: boolean;
  /** The URL of the last hop, if a redirect was followed and the URL is known. */
  readonly url?: string | undefined;
}

/** The `request` of axios's http adapter: a request of Node, or of `follow-redirects`. */
export interface NodeRequest {
  /** The redirecting request of `follow-redirects`, in the request of the last hop. An error carries the redirecting request itself. */
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
  readonly protocol?: unknown;
  readonly socket?: { readonly encrypted?: unknown; readonly bytesWritten?: unknown } | null;
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
export function receivedResponse({ res }: NodeRequest): { status: number; headers: unknown } | undefined {
  return res ? { status: res.statusCode ?? 0, headers: res.headers } : undefined;
}

/**
 * True if a request has the answer of a proxy that refused the tunnel. Agents, axios's own among them, deliver the answer on a socket
 * without a connection, so no byte was written.
 */
export function isTunnelRefused({ protocol, socket }: NodeRequest): boolean {
  return protocol === 'https:' && socket?.bytesWritten === 0 && socket.encrypted !== true;
}

/** Destroys a request whose upload is unfinished: a server that has already responded may never read the rest. */
export function abortUpload(request: NodeRequest): void {
  if (request.writableFinished === false) request.destroy?.();
}

/** axios's messages for a connection that breaks in the middle of a body; older versions use the second. */
const BROKEN_BODY = /^(stream has been aborted|maxContentLength size of -1 exceeded)$/;

export function breaksBody(error: unknown): boolean {
  const message = property(error, 'message');
  return typeof message === 'string' && BROKEN_BODY.test(message);
}

/** Calls `ended` when a Node stream has arrived, read or not, or has failed; false if there is none under way. */
export function whenNodeBodyEnds(
  response: AxiosResponse | undefined,
  clock: Clock,
  ended: () => void,
): boolean {
  const data: unknown = response?.data;
  if (!isNodeReadable(data) || data.destroyed || data.readableEnded) return false;
  whenArrived(data, response?.request?.res, clock, ended);
  return true;
}

/** Calls `close` when a Node stream closes; false for one that was destroyed before, and for anything else. */
export function closeWith(data: unknown, close: () => void): boolean {
  if (!isNodeReadable(data) || data.destroyed) return false;
  data.on('close', close);
  return true;
}
