import { isObject, property } from '../../base/errors.ts';

/** A socket of Node. Both count what the program has read and written, without TLS. */
interface Socket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** A request of undici, or of `node:http`, as it is in the messages of the channels. */
interface SentRequest {
  readonly method?: string;
  readonly path?: string;
  /** A request of undici has it, and none of the others. */
  readonly origin?: unknown;
  readonly protocol?: string;
  readonly socket?: Socket | null;
  getHeader?(name: 'host'): unknown;
  once?(event: 'socket', listener: (socket: Socket) => void): unknown;
}

interface Message {
  readonly request: SentRequest;
  readonly socket?: Socket;
  readonly headers?: string;
  readonly error?: unknown;
}

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(
      id: 'node:diagnostics_channel',
    ): { subscribe?(name: string, listener: (message: Message) => void): void } | undefined;
  };
}

/** A connection as a request got it. */
interface Start extends Socket {
  readonly socket: Socket;
  readonly connection: 'new' | 'reused' | undefined;
  /** Requests of HTTP/2 share a connection, so that its bytes say nothing of one of them. */
  readonly isShared: boolean;
}

/** A request that failed on its connection. */
export interface LostRequest {
  readonly method: string | undefined;
  /** `undefined` if it cannot be parsed. */
  readonly url: string | undefined;
  readonly connection: 'new' | 'reused' | undefined;
  /** True unless it is certain that no byte of it was written. */
  readonly written: boolean;
  /** True unless it is certain that no byte of an answer was read. */
  readonly answered: boolean;
}

const used = new WeakSet<Socket>();
const starts = new WeakMap<SentRequest, Start>();
/** By the error; `undefined` if several requests have failed with it. */
const losses = new WeakMap<object, LostRequest | undefined>();
let listens = false;

/** @param isWritten true if the request may have written before */
function noteStart(request: SentRequest, socket: Socket, isShared = false, isWritten = false): void {
  const { bytesRead, bytesWritten } = socket;
  const unused = bytesWritten === 0 ? 'new' : undefined;
  const connection = used.has(socket) ? 'reused' : unused;
  used.add(socket);
  starts.set(request, {
    ...{ socket, connection, isShared, bytesRead },
    bytesWritten: isWritten ? -1 : bytesWritten,
  });
}

/** The URL without its user, password and fragment, which are not sent in it. */
export function urlOf(path: string, origin?: string): string | undefined {
  const url = URL.parse(path, origin);
  return url ? Object.assign(url, { username: '', password: '', hash: '' }).href : undefined;
}

function noteLoss({ request, error }: Message): void {
  const start = starts.get(request);
  if (!start || !isObject(error)) return;
  const { method, path = '', origin, protocol } = request;
  const { socket, connection, isShared, bytesRead, bytesWritten } = start;
  const lost: LostRequest = {
    ...{ method, connection },
    url: urlOf(path, String(origin ?? `${protocol}//${request.getHeader?.('host')}`)),
    written: isShared || socket.bytesWritten !== bytesWritten,
    answered: isShared || socket.bytesRead !== bytesRead,
  };
  losses.set(error, losses.has(error) ? undefined : lost);
}

/** Listens to the channels on which Node's HTTP client, its fetch and undici tell which request is on which socket. Once for the program. */
export function listen(): void {
  if (listens) return;
  listens = true;
  const channels = (globalThis as NodeLike).process?.getBuiltinModule?.('node:diagnostics_channel');
  channels?.subscribe?.('undici:client:sendHeaders', ({ request, socket, headers = ':' }) => {
    if (socket) noteStart(request, socket, headers.startsWith(':'));
  });
  channels?.subscribe?.('undici:request:error', noteLoss);
  channels?.subscribe?.('http.client.request.created', ({ request }) => {
    request.once?.('socket', (socket) => noteStart(request, socket));
  });
  // Node 20 has no `created`, and tells this once the head is written.
  channels?.subscribe?.('http.client.request.start', ({ request }) => {
    if (request.socket && !starts.has(request)) noteStart(request, request.socket, false, true);
  });
  channels?.subscribe?.('http.client.request.error', noteLoss);
}

/** The request whose error this is, or has as a cause; `undefined` if it is not known. */
export function lostRequestOf(error: unknown): LostRequest | undefined {
  let at = error;
  for (let depth = 0; isObject(at) && depth < 8; depth += 1) {
    if (losses.has(at)) return losses.get(at);
    at = property(at, 'cause');
  }
  return undefined;
}
