import { type ClientRequest, createServer, type IncomingMessage, request as nodeRequest } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { attemptsOf, detailsOf, type EbbEvent } from '@ebb/core';
import axios, { type AxiosAdapter, type AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { refusingPort } from '../../../test/refusing.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';
import { listen } from '../test/servers.ts';

/** A server that does `POST /charge`, and then redirects to the receipt. */
async function chargeServer(receipt: string, status = 303) {
  const seen: string[] = [];
  const url = await listen(
    createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => {
        if (request.url === '/charge') response.writeHead(status, { location: receipt }).end();
        else response.writeHead(429).end('slow down');
      });
    }),
  );
  return { url, charges: () => seen.filter((line) => line === 'POST /charge').length, seen };
}

const reasonsOf = (result: unknown) => attemptsOf(result).map(({ reason }) => reason);
const three = { ...atOnce, maxRetries: 2 };

describe.each(['http', 'fetch'])('over the %s adapter, a POST that was done and redirected', (adapter) => {
  const receipts: [what: string, make: () => Promise<string>][] = [
    ['to a page that says 429', async () => '/receipt'],
    ['to a port that refuses the connection', async () => `http://127.0.0.1:${await refusingPort()}/receipt`],
    ['to a name that has no address', async () => 'http://no-such-name.invalid/receipt'],
  ];
  test.each(receipts)('%s is sent again with an Idempotency-Key alone', async (_, make) => {
    for (const [headers, reasons] of [
      [{}, ['not-idempotent']],
      [{ 'Idempotency-Key': 'k' }, ['transient', 'transient', 'retries-exhausted']],
    ] as const) {
      const { url, charges } = await chargeServer(await make());
      const error = await errorOf(clientOf({ adapter, headers }, three).post(`${url}charge`, { amount: 5 }));
      expect([charges(), reasonsOf(error)]).toEqual([reasons.length, reasons]);
    }
  });

  test('is not sent again if the response is streamed', async () => {
    const { url, charges } = await chargeServer('/receipt');
    await errorOf(clientOf({ adapter, responseType: 'stream' }, three).post(`${url}charge`, {}));
    expect(charges()).toBe(1);
  });

  test('with its method and body (307) is not sent again', async () => {
    const { url, seen } = await chargeServer('/receipt', 307);
    await errorOf(clientOf({ adapter }, three).post(`${url}charge`, {}));
    expect(seen).toEqual(['POST /charge', 'POST /receipt']);
  });

  test('reports the URL that responded', async () => {
    const { url } = await chargeServer('/receipt#1');
    const ends: EbbEvent[] = [];
    await errorOf(clientOf({ adapter }, { onEvent: (event) => ends.push(event) }).post(`${url}charge`));
    const { outcome } = detailsOf(ends.at(-1) as EbbEvent) as { outcome: { url: string } };
    expect(outcome).toMatchObject({ status: 429, redirected: true });
    expect(outcome.url.replace('#1', '')).toBe(`${url}receipt`);
  });

  test('but a 429 without a redirect counts as refused', async () => {
    const { url, seen } = await chargeServer('/receipt');
    const error = await errorOf(clientOf({ adapter }, three).post(`${url}other`));
    expect([seen.length, reasonsOf(error)[0]]).toEqual([3, 'refused']);
  });

  test('but with maxRedirects: 0 a failure counts as refused', async () => {
    const port = await refusingPort();
    const client = clientOf({ adapter, maxRedirects: 0 }, three);
    for (const host of [`127.0.0.1:${port}`, 'no-such-name.invalid']) {
      expect(reasonsOf(await errorOf(client.post(`http://${host}/`)))[0]).toBe('refused');
    }
    const { url, seen } = await chargeServer('/receipt');
    await errorOf(client.post(`${url}other`));
    expect(seen).toHaveLength(3);
  });

  test('and a GET whose redirect ends with a 503 is retried', async () => {
    let requests = 0;
    const url = await listen(
      createServer((request, response) => {
        requests += 1;
        if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
        else response.writeHead(requests > 2 ? 200 : 503).end();
      }),
    );
    expect(reasonsOf(await clientOf({ adapter }, three).get(url))).toEqual(['transient', 'success']);
  });
});

describe('the http adapter', () => {
  test('retries a POST whose first hop is refused', async () => {
    const port = await refusingPort();
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'no-such-name.invalid']) {
      const error = await errorOf(clientOf({ adapter: 'http' }, three).post(`http://${host}/`));
      expect(reasonsOf(error)).toEqual(['refused', 'refused', 'retries-exhausted']);
    }
  });

  /** Follows a 303 without axios noticing. */
  const following = {
    request(options: object, onResponse: (response: IncomingMessage) => void): ClientRequest {
      const first = nodeRequest(options, (response) => {
        const { location } = response.headers;
        if (location === undefined) return onResponse(response);
        // Its response stays unread: axios ignores another one once a request has ended.
        const second = nodeRequest(new URL(location, `http://${first.getHeader('host')}`), onResponse);
        second.on('error', (error) => first.emit('error', error)).end();
      });
      return first;
    },
  };

  test('does not count the failure of a custom transport as refused', async () => {
    for (const receipt of ['/receipt', `http://127.0.0.1:${await refusingPort()}/`]) {
      const { url, charges } = await chargeServer(receipt);
      const client = clientOf({ adapter: 'http', transport: following }, three);
      expect(reasonsOf(await errorOf(client.post(`${url}charge`)))).toEqual(['not-idempotent']);
      expect(charges()).toBe(1);
    }
  });

  test('trusts maxRedirects: 0 with a custom transport', async () => {
    const { url, seen } = await chargeServer('/receipt');
    const transport = { request: nodeRequest };
    const client = clientOf({ adapter: 'http', transport, maxRedirects: 0 }, three);
    await errorOf(client.post(`${url}other`));
    expect(seen).toHaveLength(3);
  });

  test('knows that HTTP/2 has no redirects', async () => {
    let requests = 0;
    const server = createHttp2Server((_, response) => {
      requests += 1;
      response.writeHead(requests > 1 ? 200 : 429).end();
    });
    const url = await listen(server as never);
    const config = { adapter: 'http', httpVersion: 2 } as AxiosRequestConfig;
    expect(reasonsOf(await clientOf(config, three).post(url))).toEqual(['refused', 'success']);
    server.close();
  });
});

describe('a custom adapter', () => {
  const responding =
    (request?: object): AxiosAdapter =>
    async (config) => ({ status: 429, statusText: '', data: '', headers: {}, config, request });
  const attempts = async (config: AxiosRequestConfig) => {
    const client = clientOf({ validateStatus: null, ...config }, three);
    return attemptsOf(await client.post('http://upstream/a?b#c')).length;
  };

  test('that does not show whether it followed a redirect gets a POST once', async () => {
    expect(await attempts({ adapter: responding() })).toBe(1);
    expect(await attempts({ adapter: responding({ responseURL: '' }) })).toBe(1);
    expect(await attempts({ adapter: responding({ responseURL: 'http://upstream/b' }) })).toBe(1);
  });

  test('that shows that it followed no redirect gets a POST again', async () => {
    expect(await attempts({ adapter: responding({ responseURL: 'http://upstream/a?b' }) })).toBe(3);
    expect(await attempts({ adapter: responding(), maxRedirects: 0 })).toBe(3);
    expect(await attempts({ adapter: responding({ redirect: 'error' }) })).toBe(3);
  });

  test('that is axios’s fetch adapter itself does not show it', async () => {
    const { url, charges } = await chargeServer('/receipt');
    const client = clientOf({ adapter: axios.getAdapter('fetch') }, three);
    await errorOf(client.post(`${url}charge`));
    expect(charges()).toBe(1);
  });
});
