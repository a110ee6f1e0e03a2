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
      let isOver = false;
      // The time that a long body is left for its reader.
      const passTime = async (): Promise<void> => {
        while (!isOver) {
          await at.clock.advance(1_000);
          await turns(5);
        }
      };
      const passing = size > 65_537 ? passTime() : undefined;
      const got = await client.send(`${at.server.url}0`, at.dispatcher);
      expect(await got.text()).toBe('there');
      isOver = true;
      await passing;
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
      await until(() => {
        void at.clock.advance(1_000);
        return at.concurrency.stats().inUse === 0;
      });
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

describe('the body of a redirect', () => {
  const get = { origin: 'http://upstream.test', path: '/', method: 'GET' } as const;

  function start() {
    const wire = new Wire();
    const clock = virtualClock();
    const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
    const spy = new HandlerSpy();
    ebbInterceptor({ concurrency, clock })(wire.dispatch)(get, spy);
    const attempt = wire.attempt(1).start().head(302, { location: '/there' });
    return { attempt, clock, spy, inUse: () => concurrency.stats().inUse };
  }

  test('is passed on as it comes to a handler that is not paused', () => {
    const { attempt, spy, inUse } = start();
    attempt.data('a').data('b').end({ sum: '1' });
    expect(spy.calls).toEqual(['start', 'head 302', 'data a', 'data b', 'end {"sum":"1"}']);
    expect(inUse()).toBe(0);
  });

  test('frees its slot when it has arrived, and waits for a handler that is paused', () => {
    const { attempt, spy, inUse } = start();
    spy.controller?.pause();
    attempt.data('a').end();
    expect([spy.calls.at(-1), inUse()]).toEqual(['head 302', 0]);
    spy.controller?.resume();
    expect(spy.calls.slice(2)).toEqual(['data a', 'end {}']);
  });

  test('that breaks while the handler is paused frees its slot, and fails when it is read', async () => {
    const { attempt, spy, inUse } = start();
    spy.controller?.pause();
    attempt.data('a').fail(new Error('final'));
    await turns(2);
    expect([spy.calls.at(-1), inUse()]).toEqual(['head 302', 0]);
    spy.controller?.resume();
    expect(spy.calls.slice(2)).toEqual(['data a', 'error final']);
  });

  test('that is long waits for its reader for a second, and then frees its slot', async () => {
    const { attempt, clock, spy, inUse } = start();
    const { connection } = attempt;
    const long = 'x'.repeat(300_000);
    spy.controller?.pause();
    attempt.data(long);
    expect([connection.calls, clock.pending]).toEqual([['pause'], 1]);
    spy.controller?.resume();
    expect([connection.calls, clock.pending]).toEqual([['pause', 'resume'], 0]);
    spy.controller?.pause();
    attempt.data(long);
    await clock.advance(999);
    expect([connection.aborted, inUse()]).toEqual([false, 1]);
    await clock.advance(1);
    expect([connection.aborted, inUse(), clock.pending]).toEqual([true, 0, 0]);
    expect(spy.calls.filter((call) => !call.startsWith('data'))).toEqual(['start', 'head 302']);
    spy.controller?.resume();
    expect(spy.calls.at(-1)).toMatch(/^error The rest of the body of this redirect was discarded/);
  });

  test('that is long frees its slot although the dispatcher ignores its controller', async () => {
    const { attempt, clock, spy, inUse } = start();
    Object.assign(attempt.connection, { abort: () => undefined });
    spy.controller?.pause();
    attempt.data('x'.repeat(300_000));
    await clock.advance(1_000);
    expect([inUse(), clock.pending]).toEqual([0, 0]);
  });

  test('ends with the abort of the handler', () => {
    const { attempt, clock, spy, inUse } = start();
    spy.controller?.pause();
    attempt.data('x'.repeat(300_000));
    spy.controller?.abort(new Error('enough'));
    expect([spy.calls.at(-1), inUse(), clock.pending]).toEqual(['error enough', 0, 0]);
    expect(attempt.connection.aborted).toBe(true);
  });
});
