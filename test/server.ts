import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { turns } from './until.ts';

/** An answer of the upstream. */
export interface Answer {
  readonly status: number;
  /** A list is as many lines. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/** What the upstream does to one request: an answer, or one of the ways in which real ones misbehave. */
export type Step =
  | Answer
  /** Breaks the connection before a byte of the answer. */
  | 'reset'
  /** A 200 that promises ten bytes and breaks the connection after five. */
  | 'half-body'
  /** The same with an ETag, so that the rest can be asked for. */
  | 'half-download'
  /** A 503 whose body begins and never ends. */
  | 'endless-503'
  /** Takes the request and never answers. */
  | 'hang'
  /** A 503 as soon as the headers of the request are there, with its body unread. */
  | 'early-503'
  /** The rest of it where a Range is asked for, or the whole. */
  | 'rest-of-download'
  /** A 200 whose headers come at once and whose body comes in two parts, some turns of the event loop apart. */
  | 'slow-200'
  /** A 200 that starts some turns of the event loop after the request. */
  | 'late-200'
  /** A 200 whose headers and first half come at once, and the second half after `letGo`. */
  | 'held-200';

/** A request as the upstream saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** All that came of the body before the upstream acted. */
  readonly body: string;
}

/** A scripted server on loopback. */
export interface Upstream {
  readonly url: string;
  readonly seen: Seen[];
  /** How many TCP connections were made to it. */
  readonly connections: () => number;
  /** How many requests are under way, each until its answer is out. */
  readonly underWay: () => number;
  /** How many were under way at once, at most. */
  readonly mostAtOnce: () => number;
  /** Ends every `held-200`, those to come as well. */
  letGo(): void;
  /** Called when a `hang` begins, or an `endless-503` has said all that it will. */
  onHang: () => void;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch {
    // The client broke off: what came is what there is.
  }
  return Buffer.concat(parts).toString();
}

/** What a step may need of the server. */
interface Gates {
  readonly onHang: () => void;
  /** Resolves when `held-200` may end. */
  readonly letGo: Promise<void>;
}

/** Enough for a client in this process to have read, on an idle machine, what was written before. */
const SOME_TURNS = 3;

function act(step: Step, { headers }: IncomingMessage, response: ServerResponse, gates: Gates): void {
  if (typeof step === 'object') {
    const body = step.body ?? '';
    response.writeHead(step.status, { 'content-length': Buffer.byteLength(body), ...step.headers }).end(body);
    return;
  }
  const half = (extra: Record<string, string>): void => {
    response.writeHead(200, { 'content-length': 10, ...extra });
    // Written, it is on its way, and the end of the connection comes after it.
    response.write('12345', () => response.destroy());
  };
  const halves = (between: () => Promise<void>): void => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('12345', async () => {
      await between();
      response.end('67890');
    });
  };
  const act: Record<typeof step, () => unknown> = {
    reset: () => response.destroy(),
    'half-body': () => half({}),
    'half-download': () => half({ etag: '"v1"', 'accept-ranges': 'bytes' }),
    'endless-503': () => {
      response.writeHead(503);
      response.write('and so on', gates.onHang);
    },
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
 * Starts a server that does the first step of the script to the first request, and so on; past its end it
 * goes on with the last step. With `cors` pages of other origins may ask it, and their preflights are not counted.
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
  // Starved of time, a client may take long between two requests, and would meet a connection that is just closed.
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A reset by the client is what some rows are about.
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
