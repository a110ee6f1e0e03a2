import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the upstream recorded it. */
interface Arrival {
  /** By `performance.now()`. */
  readonly atMs: number;
  /** For instance `GET /axios/1`: unique for each request of the demo, and the same for all of its attempts. */
  readonly request: string;
  /** The Retry-After of its response, in ms. */
  readonly retryAfterMs?: number;
}

export interface Upstream {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** How often each order was carried out, by its request. */
  readonly orders: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Handles a request: sends a response or resets the connection, and returns what else to record. */
type Service = (
  request: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival,
  orders: Map<string, number>,
) => Partial<Arrival> | undefined;

async function serve(service: Service): Promise<Upstream> {
  const arrivals: Arrival[] = [];
  const orders = new Map<string, number>();
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const arrival = { atMs: performance.now(), request: `${request.method} ${request.url}` };
      arrivals.push({ ...arrival, ...service(request, response, arrival, orders) });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    orders,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function answer(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ status }));
}

/** Like Memorystore in a failover: 503 and 500 in turn for `downMs` after the first request, then 200. */
export function failingOver(downMs: number): Promise<Upstream> {
  let downUntilMs: number | undefined;
  let count = 0;
  return serve((_, response, { atMs }) => {
    downUntilMs ??= atMs + downMs;
    count += 1;
    answer(response, atMs >= downUntilMs ? 200 : count % 2 === 1 ? 503 : 500);
    return undefined;
  });
}

/** Like Amazon API Gateway: a token bucket, and 429 with `Retry-After` when it is empty. */
export function limiting(rate: { readonly perSecond: number; readonly burst: number }): Promise<Upstream> {
  let tokens = rate.burst;
  let filledAtMs = performance.now();
  return serve((_, response, { atMs }) => {
    tokens = Math.min(rate.burst, tokens + ((atMs - filledAtMs) / 1_000) * rate.perSecond);
    filledAtMs = atMs;
    if (tokens >= 1) {
      tokens -= 1;
      answer(response, 200);
      return undefined;
    }
    // The header is in whole seconds.
    const seconds = Math.ceil((1 - tokens) / rate.perSecond);
    answer(response, 429, { 'retry-after': String(seconds) });
    return { retryAfterMs: seconds * 1_000 };
  });
}

/**
 * Carries out orders, and resets the connection instead of responding the first `times` times that it sees a request.
 * A repeated order with its `Idempotency-Key` is not carried out again.
 */
export function breakingOff(times: number): Promise<Upstream> {
  const seen = new Map<string, number>();
  return serve((request, response, arrival, orders) => {
    const key = request.headers['idempotency-key'];
    const known = key !== undefined && seen.has(arrival.request);
    if (request.method === 'POST' && !known) {
      orders.set(arrival.request, (orders.get(arrival.request) ?? 0) + 1);
    }
    const count = (seen.get(arrival.request) ?? 0) + 1;
    seen.set(arrival.request, count);
    if (count > times) answer(response, 200);
    else request.socket.resetAndDestroy();
    return undefined;
  });
}
