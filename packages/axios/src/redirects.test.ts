import { type ClientRequest, createServer, type IncomingMessage, request as nodeRequest } from 'node:http';
import { attemptsOf } from '@ebb/core';
import type { AxiosAdapter } from 'axios';
import { describe, expect, test } from 'vitest';
import { refusingPort } from '../../../test/refusing.ts';
import { atOnce, clientOf, errorOf } from '../test/client.ts';
import { listen } from '../test/servers.ts';

/** A server that does `POST /charge`, and then redirects to the receipt. */
async function chargeServer(receipt: string) {
  const seen: string[] = [];
  const url = await listen(
    createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => {
        if (request.url === '/charge') response.writeHead(303, { location: receipt }).end();
        else response.writeHead(429).end('slow down');
      });
    }),
  );
  return { url, charges: () => seen.filter((line) => line === 'POST /charge').length };
}

const reasonsOf = (result: unknown) => attemptsOf(result).map(({ reason }) => reason);
const three = { ...atOnce, maxRetries: 2 };

describe('the http adapter', () => {
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
});

test('a custom adapter that shows that it followed no redirect gets a POST again', async () => {
  const adapter: AxiosAdapter = async (config) => {
    const request = { responseURL: 'http://upstream/a?b' };
    return { status: 429, statusText: '', data: '', headers: {}, config, request };
  };
  const client = clientOf({ validateStatus: null, adapter }, three);
  expect(attemptsOf(await client.post('http://upstream/a?b#c'))).toHaveLength(3);
});
