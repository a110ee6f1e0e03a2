import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getResponse, HttpResponse, http, type RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import type { Seen, Step } from './server.ts';

/** A scripted upstream, mocked by MSW. */
export interface Mocked {
  readonly url: string;
  readonly seen: Seen[];
  close(): Promise<void>;
}

function handlersFor(script: readonly Step[], seen: Seen[]): RequestHandler[] {
  return [
    http.all('*', async ({ request }) => {
      const step = script[Math.min(seen.length, script.length - 1)];
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      seen.push({ method: request.method, path: pathname + search, headers, body: await request.text() });
      if (typeof step !== 'object') return HttpResponse.error();
      const body = step.status === 204 ? null : (step.body ?? '');
      const lines = Object.entries(step.headers ?? {}).flatMap(([name, value]) => {
        return [value].flat().map((one): [string, string] => [name, one]);
      });
      return new HttpResponse(body as BodyInit | null, { status: step.status, headers: lines });
    }),
  ];
}

/** For the clients that MSW intercepts: the global fetch, and axios over node:http. */
export async function mock(script: readonly Step[]): Promise<Mocked> {
  const seen: Seen[] = [];
  const server = setupServer(...handlersFor(script, seen));
  server.listen();
  return { url: 'http://mocked.test/', seen, close: async () => server.close() };
}

/** For undici's own dispatchers, which MSW does not intercept: the same handlers behind a server on loopback. */
export async function mockBehindServer(script: readonly Step[]): Promise<Mocked> {
  const seen: Seen[] = [];
  const handlers = handlersFor(script, seen);
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(new URL(url, 'http://mocked.test/'), {
      method,
      headers: headers as Record<string, string>,
      ...(hasBody && { body: incoming as unknown as ReadableStream, duplex: 'half' }),
    });
    const response = await getResponse(handlers, request);
    if (response === undefined || response.type === 'error') {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    seen,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
