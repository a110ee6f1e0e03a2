import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Mock, Respond } from '@ebb/testing';
import { getResponse, http, type RequestHandler } from 'msw';
import { setupServer } from 'msw/node';

const handlerFor = (respond: Respond): RequestHandler => http.all('*', ({ request }) => respond(request));

/** For the clients that MSW intercepts: the global fetch, and axios over node:http. */
export async function mock(respond: Respond): Promise<Mock> {
  const server = setupServer(handlerFor(respond));
  server.listen();
  return { url: 'http://mocked.test/', close: () => server.close() };
}

/** For undici's own dispatchers, which MSW does not intercept: the same handler behind a server on loopback. */
export async function mockBehindServer(respond: Respond): Promise<Mock> {
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(new URL(url, 'http://mocked.test/'), {
      method,
      headers: headers as Record<string, string>,
      ...(hasBody && { body: incoming as unknown as ReadableStream, duplex: 'half' }),
    });
    const response = await getResponse([handlerFor(respond)], request);
    if (response === undefined || response.type === 'error') {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
