import { AsyncLocalStorage } from 'node:async_hooks';
import { concurrencyLimit, createPolicy, inspectBody, perKey, tokenBucket } from '@ebb/core';
import { describe, expect, test } from 'vitest';
import { clients } from '../test/clients.ts';
import { upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

/** Several for each of five connections. */
const CALLS = 15;

/** What each callback is named, and the call in whose context it ran. */
type Note = (callback: string, url: string) => void;

const inspect = (note: Note) =>
  inspectBody(async (response) => {
    const { url } = response.request;
    note('inspect', url);
    await response.text();
    note('inspect, after a read', url);
    return undefined;
  });

describe.each(clients.map((client) => [client.name, client] as const))('%s', (_, client) => {
  test.each([false, true])(
    'callbacks run in the async context of their own call (inspects: %s)',
    async (inspects) => {
      const calls = new AsyncLocalStorage<string>();
      const wrong: string[] = [];
      const ran = new Set<string>();
      const note: Note = (callback, url) => {
        ran.add(callback);
        const own = calls.getStore();
        if (new URL(url).pathname !== own) wrong.push(`${callback} of ${url} in ${own}`);
      };
      const bucket = perKey(() => tokenBucket({ refillPerSecond: 100_000, capacity: 1_000 }), {
        keyOf: ({ url }) => {
          note('keyOf', url);
          return 'one';
        },
      });
      const policy = createPolicy({
        bucket,
        concurrency: concurrencyLimit({ maxConcurrent: 10 }),
        classify(outcome, { url }) {
          note('classify', url);
          return outcome.type === 'response' && outcome.status === 200 ? 'success' : 'transient';
        },
        methods: ['PUT'],
        cost({ url }) {
          note('cost', url);
          return 1;
        },
        trustedOrigins: () => true,
        beforeAttempt({ request }) {
          note('beforeAttempt', request.url);
          return undefined;
        },
        backoff() {
          ran.add(calls.getStore() === undefined ? 'backoff outside' : 'backoff');
          return 0;
        },
        onEvent({ type, request }) {
          note(`onEvent ${type}`, (request as { url: string }).url);
        },
        ...(inspects && { inspect: inspect(note) }),
      });
      const seen = new Map<string, number>();
      await using server = await upstream((response, { path }) => {
        const times = (seen.get(path) ?? 0) + 1;
        seen.set(path, times);
        if (times === 3) return void response.destroy();
        response.writeHead(times < 3 ? 503 : 200).end('text');
      });
      const agent = new client.undici.Agent({ connections: 5 });
      const dispatcher = agent.compose(ebbInterceptor(policy));
      const send = (path: string): Promise<string> =>
        calls.run(path, async () => {
          const got = await client.send(server.url + path.slice(1), dispatcher, { method: 'PUT' });
          expect(calls.getStore()).toBe(path);
          return got.text();
        });
      const sent = Array.from({ length: CALLS }, (_call, index) => send(`/${index}`));
      expect(new Set(await Promise.all(sent))).toEqual(new Set(['text']));
      expect(wrong).toEqual([]);
      expect([...ran]).toEqual(
        expect.arrayContaining(['classify', 'cost', 'backoff', 'keyOf', 'onEvent retry', 'onEvent end']),
      );
      expect(ran).not.toContain('backoff outside');
      await agent.destroy();
    },
  );
});
