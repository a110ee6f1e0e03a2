import { nextTurn } from '@ebb/core/adapter';
import {
  type IncomingRequest,
  listenOnLoopback,
  nodeModule,
  type OutgoingResponse,
  type Server,
  type Socket,
} from './node.ts';
import { EVENTS, type ReceivedRequest, type Step, type Upstream } from './step.ts';

/** A scripted server on loopback. */
export interface ScriptedServer extends Upstream {
  /** The requests so far. */
  readonly seen: ReceivedRequest[];
  /** How many requests have not been answered completely. */
  readonly underWay: () => number;
  /** The largest number of requests that were under way at once. */
  readonly mostAtOnce: () => number;
  /** Ends every `held-200`, including later ones. */
  letGo(): void;
  /** Called when a `hang` begins, or an `endless-` body has written its last byte. */
  onHang: () => void;
}

async function bodyOf(request: IncomingRequest): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const part of request) text += decoder.decode(part, { stream: true });
  } catch {
    // The client closed the connection in the middle of its body.
  }
  return text + decoder.decode();
}

/** The functions and the promise by which a step reports and waits. */
interface Gates {
  readonly onHang: () => void;
  /** Resolves when `letGo` is called. */
  readonly letGo: Promise<void>;
  /** The URL of an origin, for redirects. */
  readonly originOf: (to: 'first' | 'other') => string;
}

/** Enough turns of the event loop for a client in this process to read what was written, on an idle machine. */
const SOME_TURNS = 3;

async function someTurns(): Promise<void> {
  for (let left = SOME_TURNS; left > 0; left -= 1) await nextTurn();
}

function act(step: Step, { headers }: IncomingRequest, response: OutgoingResponse, gates: Gates): void {
  if (typeof step === 'object') {
    const { status, to, body = '' } = step;
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const location = to === undefined ? undefined : { location: gates.originOf(to) };
    response.writeHead(status, { 'content-length': bytes.length, ...location, ...step.headers }).end(bytes);
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
  const streaming = (): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
  };
  const act: Record<typeof step, () => unknown> = {
    reset: () => response.destroy(),
    'half-body': () => half({}),
    'half-503': () => half({}, 503),
    'half-download': () => half({ etag: '"v1"', 'accept-ranges': 'bytes' }),
    'half-stream': () => {
      streaming();
      response.write(`${EVENTS[0]}data`, () => response.destroy());
    },
    'rest-of-stream': () => {
      streaming();
      response.end(EVENTS.slice(Number(headers['last-event-id'] ?? 0)).join(''));
    },
    'endless-503': () => endless(503),
    'endless-200': () => endless(200),
    hang: gates.onHang,
    'early-503': () => response.writeHead(503, { connection: 'close' }).end('early'),
    'rest-of-download': () => {
      const asked = /^bytes=(\d+)-/.exec(headers.range ?? '');
      const start = Number(asked?.[1] ?? 0);
      const range = asked ? { 'content-range': `bytes ${start}-9/10` } : {};
      response.writeHead(asked ? 206 : 200, { etag: '"v1"', ...range }).end('1234567890'.slice(start));
    },
    'slow-200': () => halves(someTurns),
    'late-200': () => someTurns().then(() => response.end('up')),
    'held-200': () => halves(() => gates.letGo),
  };
  act[step]();
}

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, PATCH',
  // The star stands for all but this one.
  'access-control-allow-headers': '*, authorization',
  'access-control-expose-headers': '*',
};

/**
 * Starts a server that performs one step of the script for each request, and repeats the last step. With `cors` it
 * accepts requests from pages of other origins; their preflights are not counted.
 */
export async function scriptedServer(
  script: readonly Step[],
  { cors = false }: { readonly cors?: boolean } = {},
): Promise<ScriptedServer> {
  const { createServer } = nodeModule('node:http');
  const seen: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  const urls = { first: '', other: '' };
  let connections = 0;
  let underWay = 0;
  let mostAtOnce = 0;
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const gates: Gates = { onHang: () => result.onHang(), letGo: gate, originOf: (to) => urls[to] };

  const answer = async (request: IncomingRequest, response: OutgoingResponse): Promise<void> => {
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
  };

  const servers: Server[] = [];
  const start = async (): Promise<string> => {
    const server = createServer(answer);
    // On a busy machine a client may be slow between two requests, and would use a connection that is being closed.
    server.keepAliveTimeout = 60_000;
    server.on('connection', (socket: Socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // Some rows reset the connection on purpose.
      socket.on('error', () => undefined);
    });
    servers.push(server);
    return `http://127.0.0.1:${await listenOnLoopback(server)}/`;
  };
  urls.first = await start();
  if (script.some((step) => typeof step === 'object' && step.to === 'other')) urls.other = await start();

  const closed = (server: Server): Promise<void> | undefined => {
    const ended = new Promise<void>((resolve) => server.once('close', resolve));
    server.close();
    for (const socket of sockets) socket.destroy();
    return server.listening ? ended : undefined;
  };
  const result: ScriptedServer = {
    url: urls.first,
    seen,
    connections: () => connections,
    underWay: () => underWay,
    mostAtOnce: () => mostAtOnce,
    letGo,
    onHang: () => undefined,
    async close() {
      await Promise.all(servers.map(closed));
    },
  };
  return result;
}
