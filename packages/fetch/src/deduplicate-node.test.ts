import nodeFetch3 from 'node-fetch';
// @ts-expect-error it comes without types
import nodeFetch2 from 'node-fetch2';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../test/serve.ts';
import { serveWith } from '../test/serve-with.ts';
import { deduplicate } from './deduplicate.ts';
import { createFetch } from './index.ts';

describe.each<[string, typeof fetch]>([
  ['node-fetch 3', nodeFetch3 as never],
  ['node-fetch 2', nodeFetch2 as never],
])('deduplicate over %s', (_, base) => {
  /** Responses of one send, each with its own way to leave. */
  async function shared(url: string, callers: number) {
    const client = createFetch({ middleware: [deduplicate()], maxRetries: 0 }, base);
    const aborts = Array.from({ length: callers }, () => new AbortController());
    const got = await Promise.all(aborts.map(({ signal }) => client(url, { signal })));
    return aborts.map((abort, at) => ({ abort, response: got[at] as Response }));
  }

  test('a caller that aborts after the headers ends its own body, and the others go on', async () => {
    const parts = Promise.withResolvers<void>();
    const { url } = await serveWith(async (__, response) => {
      response.writeHead(200).write('first ');
      await parts.promise;
      response.end('x'.repeat(400_000));
    });
    const [first, ...others] = await shared(url, 3);
    const stays = others.pop();
    const left = [first, ...others].map((one) => {
      const reading = one?.response.text();
      one?.abort.abort();
      return reading;
    });
    for (const reading of left) await expect(reading).rejects.toThrow('aborted');
    parts.resolve();
    expect((await stays?.response.text())?.length).toBe(400_006);
  });

  test.skipIf(base === (nodeFetch2 as never))('all bodies fail if the connection breaks', async () => {
    const server = await serve('half-body');
    for (const { response } of await shared(server.url, 3)) await expect(response.text()).rejects.toThrow();
  });

  test.skipIf(base === (nodeFetch2 as never))('the connection is closed once all have aborted', async () => {
    const closed = Promise.withResolvers<void>();
    const { url } = await serveWith((__, response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(200).write('first ');
    });
    for (const { abort } of await shared(url, 3)) abort.abort();
    await closed.promise;
  });
});
