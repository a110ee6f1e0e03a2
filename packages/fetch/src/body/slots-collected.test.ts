import { concurrencyLimit, createPolicy } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { serveWith } from '../../test/serve-with.ts';
import { createFetch } from '../index.ts';

const collect = globalThis.gc as () => void;
const MAX = 10;
const CALLS = 60;

/** Ten slots, over a server that sends a body in five parts with pauses. */
async function slow() {
  const server = await serveWith((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    let left = 5;
    const send = (): void => {
      left -= 1;
      if (left === 0) response.end('12345');
      else response.write('12345', () => setTimeout(send, 4));
    };
    send();
  });
  const concurrency = concurrencyLimit({ maxConcurrent: MAX });
  const ebbFetch = createFetch(createPolicy({ concurrency, maxRetries: 0 }));
  return { server, get: () => ebbFetch(server.url), inUse: () => concurrency.stats().inUse };
}

async function joined(parts: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const part of parts) text += Buffer.from(part);
  return text;
}

/** Ways to read a body, after which nothing but the reader holds the response. */
const ways: readonly ((response: Response) => Promise<string>)[] = [
  (response) => response.text(),
  ({ body }) => joined(body as never),
  async ({ body }) => {
    const through = new TransformStream<Uint8Array, Uint8Array>();
    void body?.pipeTo(through.writable);
    return joined(through.readable as never);
  },
  ({ body }) => new Response(body).text(),
  (response) => response.clone().text(),
];

test('with constant garbage collection, slots still bound the number of requests under way', async () => {
  const { server, get, inUse } = await slow();
  const collecting = setInterval(collect, 3);
  try {
    const texts = Array.from({ length: CALLS }, (_, n) => get().then(ways[n % ways.length]));
    expect(await Promise.all(texts)).toEqual(Array(CALLS).fill('1234512345123451234512345'));
  } finally {
    clearInterval(collecting);
  }
  expect(server.mostAtOnce()).toBeLessThanOrEqual(MAX);
  expect(server.seen).toHaveLength(CALLS);
  await expect.poll(inUse).toBe(0);
}, 30_000);

describe('a long body that is unreachable releases its slot when it is garbage-collected', () => {
  async function long() {
    const { url } = await serveWith((_, response) => response.writeHead(200).write('x'.repeat(100_000)));
    const concurrency = concurrencyLimit({ maxConcurrent: 1 });
    const ebbFetch = createFetch(createPolicy({ concurrency, maxRetries: 0 }));
    return { get: () => ebbFetch(url), inUse: () => concurrency.stats().inUse };
  }
  // Not for a body that was read in part: its connection stays open until the server or a timeout ends it, also without ebb.
  const dropped: Record<string, (response: Response) => unknown> = {
    unread: () => undefined,
    'after `body` was accessed': (response) => response.body,
    cloned: (response) => response.clone(),
    teed: (response) => response.body?.tee(),
  };
  test.each(Object.entries(dropped))('%s', async (_, use) => {
    const { get, inUse } = await long();
    await get().then(use);
    expect(inUse()).toBe(1);
    await expect.poll(() => collect() ?? inUse(), { timeout: 10_000 }).toBe(0);
  });

  test('but not while it is reachable', async () => {
    const { get, inUse } = await long();
    const { body } = await get();
    for (let turn = 0; turn < 20; turn += 1) {
      collect();
      await new Promise(setImmediate);
    }
    expect(inUse()).toBe(1);
    await body?.cancel();
    expect(inUse()).toBe(0);
  });
});
