import { concurrencyLimit, createPolicy, inspectBody, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { turns, until } from '../../../test/until.ts';
import { clients, versions } from '../test/clients.ts';
import { begin, oneSlot } from '../test/relay.ts';
import { upstream } from '../test/upstream.ts';
import { ebbInterceptor } from './index.ts';

/** Far longer than any of these takes: a slot that is never free is a call that waits for ever. */
const STUCK_MS = 10_000;
const SIZES = [1_024, 65_537, 2 ** 20];
const HOPS = 7;

/** Redirects seven times from each path, with a body, and then responds. */
function redirecting(size: number) {
  return upstream((response, { path }) => {
    const hop = Number(path.slice(1));
    if (hop === HOPS) response.end('there');
    else response.writeHead(302, { location: `/${hop + 1}` }).end(Buffer.alloc(size, 'x'));
  });
}

const looks: readonly PolicyOptions[] = [{}, { inspect: inspectBody(() => undefined) }];
const cases = looks.flatMap((options) => SIZES.map((size) => [size, options] as const));

describe.each(clients.filter(({ isFetch }) => isFetch))('the redirects of $name', (client) => {
  const open = async (size: number, options: PolicyOptions = {}) => {
    const server = await redirecting(size);
    const clock = virtualClock();
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    const agent = new client.undici.Agent();
    const policy = createPolicy({ concurrency, clock, maxRetries: 0, ...options });
    const dispatcher: Dispatcher = agent.compose(ebbInterceptor(policy));
    const close = async () => {
      await agent.destroy();
      await server[Symbol.asyncDispose]();
    };
    return { server, clock, concurrency, dispatcher, [Symbol.asyncDispose]: close };
  };

  const send = (client.name.startsWith("Node's") ? fetch : client.undici.fetch) as typeof fetch;

  test.each<
    [what: string, redirect: RequestRedirect, read: (sent: Promise<Response>, size: number) => unknown]
  >([
    ['that are followed', 'follow', async (sent) => expect(await (await sent).text()).toBe('there')],
    [
      'that are not followed can be read',
      'manual',
      async (sent, size) => {
        const response = await sent;
        await turns(50);
        expect((await response.arrayBuffer()).byteLength).toBe(size);
      },
    ],
    ['that are refused', 'error', (sent) => expect(sent).rejects.toThrow('fetch failed')],
  ])(
    '%s, and free their slot',
    async (_, redirect, read) => {
      for (const [size, options] of cases) {
        await using at = await open(size, options);
        await read(send(`${at.server.url}0`, { dispatcher: at.dispatcher, redirect } as RequestInit), size);
        await until(() => at.concurrency.stats().inUse === 0);
        expect(at.server.seen).toHaveLength(redirect === 'follow' ? HOPS + 1 : 1);
      }
    },
    STUCK_MS,
  );
});

test.each(Object.entries(versions))(
  'request of %s reads the body of a redirect',
  async (_, { Agent, request }) => {
    await using server = await redirecting(2 ** 20);
    const agent = new Agent();
    const dispatcher = agent.compose(ebbInterceptor({ concurrency: concurrencyLimit({ maxConcurrent: 1 }) }));
    for (let time = 0; time < 2; time += 1) {
      const { statusCode, body } = await request(`${server.url}0`, { dispatcher });
      expect([statusCode, (await body.arrayBuffer()).byteLength]).toEqual([302, 2 ** 20]);
    }
    await agent.destroy();
  },
);

test.each([301, 302, 303, 307, 308])('a %i frees its slot with its headers', (status) => {
  const concurrency = oneSlot();
  const { wire, spy } = begin({ concurrency });
  const attempt = wire.attempt(1).start().head(status, { location: '/there' });
  expect(concurrency.stats().inUse).toBe(0);
  spy.controller?.pause();
  expect(attempt.connection.calls).toEqual(['pause']);
  spy.controller?.resume();
  attempt.data('a').end({ sum: '1' });
  expect(spy.calls).toEqual(['start', `head ${status}`, 'data a', 'end {"sum":"1"}']);
});
