// What failover does while the first of three hosts is in trouble, in virtual time: `pnpm bench failover`. For five minutes ten requests
// per second name the first host. Each has two retries, and attempts of one second.
import { adaptiveThrottle, type Clock, constant, createPolicy, type PolicyOptions, perKey } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { failover } from '@ebb/fetch/failover';

const origins = ['http://a.test', 'http://b.test', 'http://c.test'];
const REQUESTS = 3_000;
const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

/** After how many milliseconds the first host answers at a time; never if it refuses connections. The others take 20 ms. */
const HOSTS: Readonly<Record<string, (seconds: number) => number | undefined>> = {
  well: () => 20,
  dead: () => undefined,
  slow: () => 3_000,
  'flapping, 20 s': (seconds) => (seconds % 40 < 20 ? undefined : 20),
};

const SCHEMES: Readonly<Record<string, (clock: Clock) => PolicyOptions>> = {
  without: () => ({}),
  failover: () => ({ plugins: [failover({ origins })] }),
  'failover, throttle per origin': (clock) => ({
    plugins: [failover({ origins })],
    throttle: perKey(() => adaptiveThrottle(), { clock }),
  }),
};

async function play(
  host: (seconds: number) => number | undefined,
  options: (clock: Clock) => PolicyOptions,
): Promise<string> {
  const clock = virtualClock({ startMs: 0 });
  let sends = 0;
  const base = async (url: unknown): Promise<Response> => {
    sends += 1;
    const ms = String(url).startsWith('http://a.test') ? host(clock.now() / 1_000) : 20;
    await clock.sleep(ms ?? 1);
    if (ms === undefined) throw new TypeError('fetch failed', { cause });
    return new Response();
  };
  let seed = 1;
  // A linear congruential generator, so that each run prints the same.
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const setup = { clock, random, maxRetries: 2, attemptTimeoutMs: 1_000, backoff: constant(100) };
  const fetch = createFetch(createPolicy({ ...setup, ...options(clock) }), base as typeof globalThis.fetch);
  const tookMs: number[] = [];
  const requests = Array.from({ length: REQUESTS }, async (_, index) => {
    await clock.sleep(index * 100);
    const { ok } = await fetch('http://a.test/').catch(() => ({ ok: false }));
    if (ok) tookMs.push(clock.now() - index * 100);
  });
  await clock.runUntilSettled(Promise.all(requests), { realTimeoutMs: 600_000, ioMs: 0 });
  tookMs.sort((a, b) => a - b);
  const p99 = tookMs[Math.floor(tookMs.length * 0.99)] ?? '–';
  return `${((100 * tookMs.length) / REQUESTS).toFixed(1)} % | ${p99} | ${(sends / REQUESTS).toFixed(2)}`;
}

console.log('| first host | scheme | answered | p99, ms | sends per request |\n|---|---|--:|--:|--:|');
for (const [name, host] of Object.entries(HOSTS)) {
  for (const [scheme, options] of Object.entries(SCHEMES))
    console.log(`| ${name} | ${scheme} | ${await play(host, options)} |`);
}
