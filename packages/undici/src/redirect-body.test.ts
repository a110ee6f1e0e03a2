import { concurrencyLimit, inspectBody, type PolicyOptions } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { until } from '../../../test/until.ts';
import { clients } from '../test/clients.ts';
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
  test(
    'that are followed, and free their slot',
    async () => {
      for (const [size, options] of cases) {
        await using server = await redirecting(size);
        const clock = virtualClock();
        const concurrency = concurrencyLimit({ maxConcurrent: 1, clock });
        const agent = new client.undici.Agent();
        const ebb = ebbInterceptor({ concurrency, clock, maxRetries: 0, ...options });
        const got = await client.send(`${server.url}0`, agent.compose(ebb));
        expect(await got.text()).toBe('there');
        await until(() => concurrency.stats().inUse === 0);
        expect(server.seen).toHaveLength(HOPS + 1);
        await agent.destroy();
      }
    },
    STUCK_MS,
  );
});

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
