import { concurrencyLimit, createPolicy, inspectBody, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import type { Dispatcher } from 'undici';
import { describe, expect, test } from 'vitest';
import { turns, until } from '../../../test/until.ts';
import { clients, versions } from '../test/clients.ts';
import { upstream } from '../test/upstream.ts';
import { HandlerSpy, Wire } from '../test/wire.ts';
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

const looks: readonly (readonly [string, PolicyOptions])[] = [
  ['', {}],
  [' with inspect', { inspect: inspectBody(() => undefined) }],
];
const cases = looks.flatMap(([name, options]) => SIZES.map((size) => [size, name, options] as const));

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

  test.each(cases)(
    'of %i bytes free their slot%s',
    async (size, _, options) => {
      await using at = await open(size, options);
      const got = await client.send(`${at.server.url}0`, at.dispatcher);
      expect(await got.text()).toBe('there');
      await until(() => at.concurrency.stats().inUse === 0);
      expect(at.server.seen).toHaveLength(HOPS + 1);
    },
    STUCK_MS,
  );

  test.each(cases)(
    'of %i bytes can be read if they are not followed%s',
    async (size, _, options) => {
      await using at = await open(size, options);
      const send = (client.name.startsWith("Node's") ? fetch : client.undici.fetch) as typeof fetch;
      const manual = { dispatcher: at.dispatcher, redirect: 'manual' } as RequestInit;
      const response = await send(`${at.server.url}0`, manual);
      await turns(50);
      expect((await response.arrayBuffer()).byteLength).toBe(size);
      await until(() => at.concurrency.stats().inUse === 0);
    },
    STUCK_MS,
  );

  test.each(cases)(
    'of %i bytes free their slot if they are refused%s',
    async (size, _, options) => {
      await using at = await open(size, options);
      const send = (client.name.startsWith("Node's") ? fetch : client.undici.fetch) as typeof fetch;
      await expect(
        send(`${at.server.url}0`, { dispatcher: at.dispatcher, redirect: 'error' } as RequestInit),
      ).rejects.toThrow('fetch failed');
      await until(() => at.concurrency.stats().inUse === 0);
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
  const wire = new Wire();
  const spy = new HandlerSpy();
  const concurrency = concurrencyLimit({ maxConcurrent: 1 });
  const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;
  ebbInterceptor({ concurrency })(wire.dispatch)(get, spy);
  const attempt = wire.attempt(1).start().head(status, { location: '/there' });
  expect(concurrency.stats().inUse).toBe(0);
  spy.controller?.pause();
  expect(attempt.connection.calls).toEqual(['pause']);
  spy.controller?.resume();
  attempt.data('a').end({ sum: '1' });
  expect(spy.calls).toEqual(['start', `head ${status}`, 'data a', 'end {"sum":"1"}']);
});
