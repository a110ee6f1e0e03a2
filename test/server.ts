import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { turns } from './until.ts';

/** A response of the upstream. */
interface ScriptedResponse {
  readonly status: number;
  /** Each value of a list is sent as a header line of its own. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/** What the upstream does with one request: respond, or misbehave as real servers do. */
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

/** A request as the upstream received it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The part of the body that had arrived when the upstream acted. */
  readonly body: string;
}

/** A scripted server on loopback. */
export interface Upstream {
  readonly url: string;
  readonly seen: Seen[];
  /** How many TCP connections were opened. */
  readonly connections: () => number;
  /** How many requests have not been answered completely. */
  readonly underWay: () => number;
  /** The largest number of requests that were under way at once. */
  readonly mostAtOnce: () => number;
  /** Ends every `held-200`, including later ones. */
  letGo(): void;
  /** Called when a `hang` begins, or an `endless-` body has written its last byte. */
  onHang: () => void;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch {
    // The client closed the connection in the middle of its body.
  }
  return Buffer.concat(parts).toString();
}

/** What a step can wait for or report to. */
interface Gates {
  readonly onHang: () => void;
  /** Resolves when `letGo` is called. */
  readonly letGo: Promise<void>;
}

/** Enough turns of the event loop for a client in this process to read what was written, on an idle machine. */
const SOME_TURNS = 3;

function act(step: Step, { headers }: IncomingMessage, response: ServerResponse, gates: Gates): void {
  if (typeof step === 'object') {
    const body = step.body ?? '';
    response.writeHead(step.status, { 'content-length': Buffer.byteLength(body), ...step.headers }).end(body);
    return;
  }
  const half = (extra: Record<string, string>, status = 200): void => {
    response.writeHead(status, { 'content-length': 10, ...extra });
    // Destroyed only after the bytes have been written, so that the client receives them.
    response.write('12345', () => response.destroy());
  };
  const halves = (between: () => Promise<void>): void => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('12345', async () => {
      await between();
      response.end('67890');
    });
  };
  const endless = (status: number): void => {
    response.writeHead(status);
    response.write('and so on', gates.onHang);
  };
  const act: Record<typeof step, () => unknown> = {
    reset: () => response.destroy(),
    'half-body': () => half({}),
    'half-503': () => half({}, 503),
    'half-download': () => half({ etag: '"v1"', 'accept-ranges': 'bytes' }),
    'endless-503': () => endless(503),
    'endless-200': () => endless(200),
    hang: gates.onHang,
    'early-503': () => response.writeHead(503, { connection: 'close' }).end('early'),
    'rest-of-download': () => {
      const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
      const range = start > 0 ? { 'content-range': `bytes ${start}-9/10` } : {};
      response.writeHead(start > 0 ? 206 : 200, { etag: '"v1"', ...range }).end('1234567890'.slice(start));
    },
    'slow-200': () => halves(() => turns(SOME_TURNS)),
    'late-200': () => turns(SOME_TURNS).then(() => response.end('up')),
    'held-200': () => halves(() => gates.letGo),
  };
  act[step]();
}

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, PATCH',
  'access-control-allow-headers': '*',
  'access-control-expose-headers': '*',
};

/**
 * Starts a server that performs one step of the script for each request, and repeats the last step. With `cors` it
 * accepts requests from pages of other origins; their preflights are not counted.
 */
export async function upstream(script: readonly Step[], { cors = false } = {}): Promise<Upstream> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let underWay = 0;
  let mostAtOnce = 0;
  const gate = Promise.withResolvers<void>();
  const gates: Gates = { onHang: () => result.onHang(), letGo: gate.promise };
  const server = createServer(async (request, response) => {
    const step = script[Math.min(seen.length, script.length - 1)] ?? { status: 200 };
    const { method = '', url = '', headers } = request;
    if (cors) {
      for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
      if (method === 'OPTIONS') return void response.writeHead(204).end();
    }
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    const index = seen.push({ method, path: url, headers, body: '' }) - 1;
    if (step !== 'early-503') seen[index] = { method, path: url, headers, body: await bodyOf(request) };
    act(step, request, response, gates);
  });
  // On a busy machine a client may be slow between two requests, and would use a connection that is being closed.
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Some rows reset the connection on purpose.
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const result: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen,
    connections: () => connections,
    underWay: () => underWay,
    mostAtOnce: () => mostAtOnce,
    letGo: gate.resolve,
    onHang: () => undefined,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
  };
  return result;
}
