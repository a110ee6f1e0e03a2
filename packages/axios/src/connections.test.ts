import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import type { AxiosRequestConfig } from 'axios';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import type { Step } from '../../../test/server.ts';
import { atOnce, clientOf } from '../test/client.ts';
import { afterTest, listen } from '../test/servers.ts';
import { KIB_64, UP } from '../test/steps.ts';

const down: Step = { status: 503, body: KIB_64 };

describe('the http adapter', () => {
  test.each<[string, AxiosRequestConfig]>([
    [', streamed', { responseType: 'stream' }],
    [', without redirects', { maxRedirects: 0 }],
    [', streamed, with one socket', { responseType: 'stream', httpAgent: { maxSockets: 1 } }],
  ])('uses one connection for 20 calls that each get two 503s%s', async (_, config) => {
    const server = await serve(...Array.from({ length: 20 }, () => [down, down, UP]).flat());
    const agent = new Agent({ keepAlive: true, ...config.httpAgent });
    afterTest(() => agent.destroy());
    const client = clientOf({ adapter: 'http', ...config, httpAgent: agent });
    for (let call = 0; call < 20; call += 1) {
      const { data } = await client.get(server.url);
      expect(typeof data === 'string' ? data : await text(data)).toBe('up');
    }
    expect([server.seen.length, server.connections()]).toEqual([60, 1]);
  });

  test('does not deadlock with concurrent calls over one socket', async () => {
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
});

test('the fetch adapter uses one connection for all attempts of a call', async () => {
  const server = await serve(down, down, down, down, UP);
  expect((await clientOf({ adapter: 'fetch' }).get(server.url)).data).toBe('up');
  expect(server.connections()).toBe(1);
});

describe.each(['http', 'fetch'])('over the %s adapter', (adapter) => {
  test('an upload that the server does not read to its end does not block its socket', async () => {
    const body = 'x'.repeat(16 * 1024 * 1024);
    const seen: number[] = [];
    const url = await listen(
      createServer((socket) => {
        const index = seen.push(0) - 1;
        socket.on('data', (part) => {
          seen[index] = (seen[index] ?? 0) + part.length;
          // The first gets its response at once, and the rest of its body is never read.
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
