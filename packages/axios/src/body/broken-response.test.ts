import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import axios, { type AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { atOnce, clientOf, errorOf, kindsOf } from '../../test/client.ts';
import { listen, rawServer } from '../../test/servers.ts';
import { KIB_64 } from '../../test/steps.ts';

describe.each(['http', 'fetch'])('over the %s adapter', (adapter) => {
  const long = { 'content-length': String(KIB_64.length) };
  const gzip = { 'content-encoding': 'gzip' };
  const limit: AxiosRequestConfig = { maxContentLength: 1_000 };
  type Row = [
    what: string,
    status: number,
    headers: object,
    config: AxiosRequestConfig,
    kinds: (number | string)[],
  ];
  // The fetch of Node 22 waits for ever for a body that is not valid gzip.
  const hangs = adapter === 'fetch' && process.versions.undici?.startsWith('6.');
  const gzipRows: Row[] = hangs
    ? []
    : [
        ['a 503 with invalid gzip', 503, gzip, {}, [503, 503, 503]],
        ['a 404 with invalid gzip', 404, gzip, {}, [404]],
        ['a 200 with invalid gzip', 200, gzip, {}, ['unknown']],
      ];
  test.each<Row>([
    ['a 503 beyond maxContentLength', 503, long, limit, [503, 503, 503]],
    ['a 503 beyond it without a content-length', 503, {}, limit, [503, 503, 503]],
    ['a 404 beyond it', 404, long, limit, [404]],
    ['a 400 beyond it', 400, long, limit, [400]],
    ['a 200 beyond it', 200, long, limit, ['unknown']],
    ...gzipRows,
  ])(
    '%s is classified by its status and rejects with axios’s own error',
    async (_, status, headers, config, kinds) => {
      const url = await listen(
        createServer((_, response) => {
          response.writeHead(status, { ...headers }).write(KIB_64);
          response.end();
        }),
      );
      const plain = await errorOf(axios.get(url, { adapter, ...config }));
      const error = await errorOf(clientOf({ adapter, ...config }, { ...atOnce, maxRetries: 2 }).get(url));
      expect(kindsOf(error)).toEqual(kinds);
      expect([error.message, error.code, error.name]).toEqual([plain.message, plain.code, plain.name]);
      expect(error.response?.status).toBe(plain.response?.status);
    },
  );
});

describe('the http adapter', () => {
  test.each([
    ['a 200 is retried', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf', ['network', 200]],
    ['a 503 is still a 503', 'HTTP/1.1 503 No\r\nContent-Length: 9\r\n\r\nhalf', [503, 200]],
    ['a 300 is still final', 'HTTP/1.1 300 Choose\r\nContent-Length: 9\r\n\r\nhalf', [300]],
    ['a 404 is still final', 'HTTP/1.1 404 No\r\nContent-Length: 9\r\n\r\nhalf', [404]],
    [
      'a gzipped 200 is retried',
      `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 24\r\n\r\n${gzipSync('half').toString('latin1', 0, 15)}`,
      ['network', 200],
    ],
  ])('when the body breaks off, %s', async (_, half, kinds) => {
    for (const validateStatus of [axios.defaults.validateStatus ?? null, null]) {
      const url = await rawServer(half, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup');
      const result = await clientOf({ adapter: 'http', validateStatus })
        .get(url)
        .catch((error: unknown) => error);
      expect(kindsOf(result)).toEqual(kinds);
    }
  });
});
