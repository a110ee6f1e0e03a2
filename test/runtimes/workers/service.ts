import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SLOW_MS } from './shared.ts';

/** A request that the service has got. */
interface Got {
  readonly path: string;
  readonly atMs: number;
  /** How many it had to answer then. */
  readonly atOnce: number;
}

type Act = (response: ServerResponse, isFirst: boolean, credentials: string | undefined) => unknown;

/** How it answers: the first part of a path says so. */
const ACTS: Readonly<Record<string, Act>> = {
  ok: (response) => response.end('ok'),
  slow: (response) => setTimeout(() => response.end('ok'), SLOW_MS),
  busy: (response, isFirst) => response.writeHead(isFirst ? 503 : 200).end('ok'),
  secret: (response, _, credentials) => response.writeHead(credentials === 'fresh' ? 200 : 401).end('ok'),
  token: (response) => setTimeout(() => response.end('fresh'), SLOW_MS),
  pause: (response, isFirst) => response.writeHead(isFirst ? 429 : 200, { 'retry-after': '1' }).end('ok'),
};

/** What the worker sends requests to. */
export async function service() {
  let got: Got[] = [];
  let atOnce = 0;
  const seen = new Set<string>();
  const server = createServer(({ url = '', headers }, response) => {
    atOnce += 1;
    response.on('close', () => {
      atOnce -= 1;
    });
    got.push({ path: url, atMs: performance.now(), atOnce });
    const isFirst = !seen.has(url);
    seen.add(url);
    ACTS[url.split('/')[1] ?? '']?.(response, isFirst, headers.authorization);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What it has got since this was asked last. */
    taken(): readonly Got[] {
      const taken = got;
      got = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
