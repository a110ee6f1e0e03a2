import { Agent, createServer } from 'node:http';
import { connect, createServer as createTcpServer, type TcpNetConnectOpts } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { attemptsOf } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import axios, { type AxiosRequestConfig } from 'axios';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { refusingPort } from '../../../test/refusing.ts';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';
import { afterTest, listen } from '../test/servers.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Answers each connection with these bytes (Latin-1), one after the other, and breaks it off. */
async function serveRaw(...answers: string[]): Promise<string> {
  let next = 0;
  const server = createTcpServer((socket) => {
    socket.once('data', () => {
      socket.write(answers[Math.min(next++, answers.length - 1)] ?? '', 'latin1', () => socket.destroy());
    });
  });
  return listen(server);
}

const DOWN: Step = { status: 503, body: 'down' };
const UP: Step = { status: 200, body: 'up' };
const K64 = 'x'.repeat(64 * 1024);

/** A timeout of axios that ends when the server has a request to which it says nothing. */
const timeout = 60_000;

const kindsOf = (result: unknown) => attemptsOf(result).map(({ status, failure }) => status ?? failure);

describe.each(['http', 'fetch'])('over the %s adapter', (adapter) => {
  test.each<[what: string, script: Step[], kinds: (number | string)[], config?: AxiosRequestConfig]>([
    ['a 503', [DOWN, UP], [503, 200]],
    ['a 429', [{ status: 429 }, UP], [429, 200], { method: 'POST' }],
    ['a 404, which is final', [{ status: 404 }], [404]],
    ['two 503s', [DOWN, DOWN, UP], [503, 503, 200]],
    ['a reset before the headers', ['reset', UP], ['network', 200]],
    ['a reset in the middle of a body', ['half-body', UP], ['network', 200]],
    ['a reset in the middle of a body, to a POST', ['half-body', UP], ['network'], { method: 'POST' }],
    ['silence, with a timeout', ['hang', UP], ['timeout', 200], { timeout }],
    ['silence, with a timeout, to a POST', ['hang', UP], ['timeout'], { timeout, method: 'POST' }],
    [
      'two silences: each has the whole timeout',
      ['hang', 'hang', UP],
      ['timeout', 'timeout', 200],
      { timeout },
    ],
    [
      'silence, with a timeout by its other name',
      ['hang', UP],
      ['timeout', 200],
      { timeout, transitional: { clarifyTimeoutError: true }, timeoutErrorMessage: 'too slow' },
    ],
    [
      'silence, with a text of the caller’s own',
      ['hang', UP],
      ['timeout', 200],
      { timeout, timeoutErrorMessage: 'too slow' },
    ],
    ['a slow body, which is no failure', ['slow-200'], [200]],
  ])('%s', async (_, script, kinds, config = {}) => {
    const server = await serve(...script);
    if (config.timeout !== undefined) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    server.onHang = () => vi.advanceTimersByTime(timeout);
    const result = await clientOf({ adapter, ...config })
      .request({ url: server.url })
      .catch((error: unknown) => error);
    expect(kindsOf(result)).toEqual(kinds);
    expect(server.seen).toHaveLength(kinds.length);
  });

  test('a connection that is refused', async () => {
    const port = await refusingPort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${port}/`;
      const error = await errorOf(clientOf({ adapter }, { ...atOnce, maxRetries: 1 }).put(url, 'text'));
      expect(attemptsOf(error)).toMatchObject([
        // Nothing of fetch tells whether it was a redirect that led there.
        { failure: 'connect', reason: adapter === 'http' ? 'refused' : 'transient' },
        { failure: 'connect', reason: 'retries-exhausted' },
      ]);
      expect(error.code).toBe(adapter === 'http' ? 'ECONNREFUSED' : 'ERR_NETWORK');
    }
  });

  test.each<[string, AxiosRequestConfig]>([
    ['a URL that is none', { url: 'http://' }],
    ['a relative URL', { url: '/path' }],
    ['a wrong scheme', { url: 'foo://upstream/' }],
    ['a wrong header', { url: 'http://127.0.0.1/', headers: { 'a b': 'c' } }],
  ])('%s is final, and axios’s own error', async (_, config) => {
    const plain = await errorOf(axios.request({ adapter, ...config }));
    const error = await errorOf(clientOf({ adapter }).request(config));
    expect(attemptsOf(error)).toMatchObject([{ failure: 'unknown', reason: 'final' }]);
    expect([error.name, error.message, error.code]).toEqual([plain.name, plain.message, plain.code]);
  });

  test('too many redirects are final', async () => {
    let requests = 0;
    const url = await listen(
      createServer((_, response) => {
        requests += 1;
        response.writeHead(302, { location: '/' }).end();
      }),
    );
    const error = await errorOf(clientOf({ adapter, maxRedirects: 2 }).get(url));
    expect(attemptsOf(error)).toMatchObject([{ failure: 'unknown', reason: 'final' }]);
    // The fetch adapter knows of no other limit than that of fetch.
    expect(requests).toBe(adapter === 'http' ? 3 : 21);
  });

  const long = { 'content-length': String(K64.length) };
  const gzip = { 'content-encoding': 'gzip' };
  const limit: AxiosRequestConfig = { maxContentLength: 1_000 };
  type Row = [
    what: string,
    status: number,
    headers: object,
    config: AxiosRequestConfig,
    kinds: (number | string)[],
  ];
  // The fetch of Node 22 waits for ever for such a body.
  const neverEnds = adapter === 'fetch' && process.versions.undici?.startsWith('6.');
  const gzipRows: Row[] = neverEnds
    ? []
    : [
        ['a 503 with gzip that is none', 503, gzip, {}, [503, 503, 503]],
        ['a 404 with gzip that is none', 404, gzip, {}, [404]],
        ['a 200 with gzip that is none', 200, gzip, {}, ['unknown']],
      ];
  test.each<Row>([
    ['a 503 beyond maxContentLength', 503, long, limit, [503, 503, 503]],
    ['a 503 beyond it that does not say so', 503, {}, limit, [503, 503, 503]],
    ['a 404 beyond it', 404, long, limit, [404]],
    ['a 200 beyond it', 200, long, limit, ['unknown']],
    ...gzipRows,
  ])('%s is judged by its status, and told as axios tells it', async (_, status, headers, config, kinds) => {
    const url = await listen(
      createServer((_, response) => {
        response.writeHead(status, { ...headers }).write(K64);
        response.end();
      }),
    );
    const plain = await errorOf(axios.get(url, { adapter, ...config }));
    const error = await errorOf(clientOf({ adapter, ...config }, { ...atOnce, maxRetries: 2 }).get(url));
    expect(kindsOf(error)).toEqual(kinds);
    expect([error.message, error.code, error.name]).toEqual([plain.message, plain.code, plain.name]);
    expect(error.response?.status).toBe(plain.response?.status);
  });

  test('the last failing response comes whole', async () => {
    const server = await serve(DOWN, DOWN, { status: 503, body: K64, headers: { a: 'b' } });
    const client = clientOf({ adapter }, { ...atOnce, maxRetries: 2 });
    const { response } = await errorOf(client.get(server.url));
    expect([response?.status, response?.data, response?.headers.a]).toEqual([503, K64, 'b']);
  });

  test('Retry-After is heeded', async () => {
    const server = await serve({ status: 503, headers: { 'retry-after': '20' } }, UP);
    const clock = virtualClock();
    const events: string[] = [];
    const onRetry = Promise.withResolvers<void>();
    const client = clientOf(
      { adapter },
      {
        ...atOnce,
        clock,
        random: () => 0,
        onEvent: ({ type }) => {
          events.push(type);
          if (type === 'retry') onRetry.resolve();
        },
      },
    );
    const response = client.get(server.url);
    await onRetry.promise;
    await clock.advance(19_999);
    expect(events).toEqual(['attempt', 'retry']);
    await clock.advance(1);
    expect(attemptsOf(await response)).toMatchObject([{ status: 503 }, { status: 200, delayMs: 20_000 }]);
    expect(clock.pending).toBe(0);
  });

  test('response types are those of the last response', async () => {
    const packed = { status: 200, body: gzipSync('text'), headers: { 'content-encoding': 'gzip' } };
    const server = await serve(DOWN, packed);
    const client = clientOf({ adapter });
    const { data } = await client.get(server.url, { responseType: 'arraybuffer' });
    expect(Buffer.from(data).toString()).toBe('text');
    const json = await serve(DOWN, { status: 200, body: '[1]' });
    expect((await client.get(json.url)).data).toEqual([1]);
  });

  test('progress is told of each attempt', async () => {
    const server = await serve(DOWN, UP);
    const onUploadProgress = vi.fn();
    const onDownloadProgress = vi.fn();
    await clientOf({ adapter }).put(server.url, 'text', { onUploadProgress, onDownloadProgress });
    expect(server.seen.map(({ body }) => body)).toEqual(['text', 'text']);
    const done = (calls: typeof onUploadProgress) => calls.mock.calls.map(([event]) => event.loaded);
    expect(done(onUploadProgress)).toEqual([4, 4]);
    expect(done(onDownloadProgress)).toEqual([4, 2]);
  });

  describe('a streamed response', () => {
    const stream = { adapter, responseType: 'stream' } as const;
    const read = (data: unknown) => text(data as Readable);

    test('that is discarded frees its connection, one that is given is whole', async () => {
      const server = await serve({ status: 503, body: K64 }, { status: 503, body: K64 }, UP);
      expect(await read((await clientOf(stream).get(server.url)).data)).toBe('up');
      const down = await serve({ status: 503, body: K64 });
      const client = clientOf(stream, { ...atOnce, maxRetries: 1 });
      expect(await read((await errorOf(client.get(down.url))).response?.data)).toBe(K64);
      expect(await read((await client.get(down.url, { validateStatus: null })).data)).toBe(K64);
      expect(down.seen).toHaveLength(4);
    });

    test('that ends badly once it is in the caller’s hands is the caller’s', async () => {
      const server = await serve('half-body', UP);
      const response = await clientOf(stream).get(server.url);
      await expect(read(response.data)).rejects.toThrow();
      expect(server.seen).toHaveLength(1);
    });

    test.each([
      ['that is too long to read, as it says itself', true],
      ['that is too long to read', false],
    ])('%s is broken off', async (_, saysLength) => {
      const parts = Array<Buffer>(256).fill(Buffer.alloc(64 * 1024));
      let started = false;
      let wasWhole: boolean | undefined;
      const url = await listen(
        createServer((_, response) => {
          if (started) return void response.end('up');
          started = true;
          if (saysLength) response.setHeader('content-length', parts.length * 64 * 1024);
          response.writeHead(503);
          pipeline(Readable.from(parts), response, (error) => {
            wasWhole = !error;
          });
        }),
      );
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      afterTest(() => agent.destroy());
      expect(await read((await clientOf({ ...stream, httpAgent: agent }).get(url)).data)).toBe('up');
      await expect.poll(() => wasWhole).toBe(false);
    });

    test('that says that it is too long is not waited for', async () => {
      let requests = 0;
      const url = await listen(
        createServer((_, response) => {
          requests += 1;
          if (requests > 1) return void response.end('up');
          response.writeHead(503, { 'content-length': 1_000_000 }).write('and so on');
        }),
      );
      const client = clientOf(stream, { ...atOnce, clock: virtualClock() });
      expect(await read((await client.get(url)).data)).toBe('up');
    });

    test('without an end is waited for a second, and no longer', async () => {
      const server = await serve('endless-503', UP);
      const clock = virtualClock();
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      afterTest(() => agent.destroy());
      const onRetry = Promise.withResolvers<void>();
      const client = clientOf(
        { ...stream, httpAgent: agent },
        {
          ...atOnce,
          clock,
          onEvent: ({ type }) => type === 'retry' && onRetry.resolve(),
        },
      );
      const response = client.get(server.url);
      await onRetry.promise;
      await clock.advance(999);
      expect([server.seen.length, clock.pending]).toEqual([1, 1]);
      await clock.advance(1);
      expect(await read((await response).data)).toBe('up');
      expect(clock.pending).toBe(0);
    });
  });

  test('an upload that the server answered early does not hold its socket', async () => {
    const body = 'x'.repeat(16 * 1024 * 1024);
    const seen: number[] = [];
    const url = await listen(
      createTcpServer((socket) => {
        const index = seen.push(0) - 1;
        socket.on('data', (part) => {
          seen[index] = (seen[index] ?? 0) + part.length;
          // The first is answered, and the rest of its body never read.
          if (index === 0) socket.pause().write('HTTP/1.1 503 Full\r\nContent-Length: 4\r\n\r\nfull');
          else if (part.at(-1) === 0x0a) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup');
        });
      }),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    afterTest(() => agent.destroy());
    const response = await clientOf({ adapter, httpAgent: agent }).put(url, `${body}\n`);
    expect([response.data, seen.length]).toEqual(['up', 2]);
  });
});

describe('the http adapter alone', () => {
  test.each<[string, AxiosRequestConfig]>([
    ['', {}],
    [', streamed', { responseType: 'stream' }],
    [', without redirects', { maxRedirects: 0 }],
    [', streamed, with one socket', { responseType: 'stream', httpAgent: { maxSockets: 1 } }],
    [', with one socket', { httpAgent: { maxSockets: 1 } }],
  ])('200 calls that each meet two 503s use one connection%s', async (_, config) => {
    const down: Step = { status: 503, body: K64 };
    const server = await serve(...Array.from({ length: 200 }, () => [down, down, UP]).flat());
    const agent = new Agent({ keepAlive: true, ...config.httpAgent });
    afterTest(() => agent.destroy());
    const client = clientOf({ adapter: 'http', ...config, httpAgent: agent });
    for (let call = 0; call < 200; call += 1) {
      const { data } = await client.get(server.url);
      expect(typeof data === 'string' ? data : await text(data)).toBe('up');
    }
    expect([server.seen.length, server.connections()]).toEqual([600, 1]);
  });

  test('calls side by side over one socket do not deadlock', async () => {
    const down: Step = { status: 503, body: K64 };
    const server = await serve(...Array.from({ length: 30 }, () => down), UP);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    afterTest(() => agent.destroy());
    const client = clientOf(
      { adapter: 'http', httpAgent: agent, responseType: 'stream' },
      { ...atOnce, maxRetries: 50 },
    );
    const get = async () => buffer((await client.get(server.url)).data);
    const bodies = await Promise.all(Array.from({ length: 10 }, get));
    expect(bodies.map(String)).toEqual(Array.from({ length: 10 }, () => 'up'));
  });

  test('beforeRedirect is asked, maxRedirects holds, at each attempt', async () => {
    let requests = 0;
    const url = await listen(
      createServer((request, response) => {
        requests += 1;
        if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
        else response.writeHead(requests > 2 ? 200 : 503).end();
      }),
    );
    const beforeRedirect = vi.fn();
    const response = await clientOf({ adapter: 'http', maxRedirects: 1, beforeRedirect }).get(url);
    expect(kindsOf(response)).toEqual([503, 200]);
    expect([requests, beforeRedirect.mock.calls.length]).toEqual([4, 2]);
  });

  test('a body that is not to be decompressed is not', async () => {
    const body = gzipSync('text');
    const packed = { body, headers: { 'content-encoding': 'gzip' } };
    const server = await serve({ status: 503, ...packed }, { status: 200, ...packed });
    const client = clientOf({ adapter: 'http', decompress: false, responseType: 'arraybuffer' });
    expect((await client.get(server.url)).data).toEqual(body);
  });

  test.each([
    ['a 200 is retried', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', ['network', 200]],
    ['a 503 is still a 503', 'HTTP/1.1 503 No\r\nContent-Length: 9\r\n\r\nhalf', [503, 200]],
    ['a 404 is still final', 'HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\nhalf', [404]],
    [
      'a packed 200 is retried',
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 24\r\n\r\n${gzipSync('half').toString('latin1', 0, 15)}`,
      ['network', 200],
    ],
  ])('of a body that breaks off %s', async (_, half, kinds) => {
    for (const validateStatus of [axios.defaults.validateStatus ?? null, null]) {
      const url = await serveRaw(half, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup');
      const result = await clientOf({ adapter: 'http', validateStatus })
        .get(url)
        .catch((error: unknown) => error);
      expect(kindsOf(result)).toEqual(kinds);
    }
  });

  test('a 503 whose body never ends is ended by the timeout, and is a 503', async () => {
    const server = await serve('endless-503', UP);
    const httpAgent = new Agent();
    httpAgent.createConnection = (options) => {
      const socket = connect(options as TcpNetConnectOpts);
      // Where a timeout is set, this is what comes of it.
      socket.on('data', (part) => String(part).includes('and so on') && socket.emit('timeout'));
      return socket;
    };
    const client = clientOf({ adapter: 'http', httpAgent });
    expect(kindsOf(await client.get(server.url, { timeout }))).toEqual([503, 200]);
  });
});

test('the fetch adapter uses one connection for the attempts of a call', async () => {
  const down: Step = { status: 503, body: K64 };
  const server = await serve(down, down, down, down, UP);
  expect((await clientOf({ adapter: 'fetch' }).get(server.url)).data).toBe('up');
  expect(server.connections()).toBe(1);
});
