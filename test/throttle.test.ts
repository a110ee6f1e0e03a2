import { adaptiveThrottle, constant, createPolicy, type EbbEvent } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { Agent, interceptors, request } from 'undici';
import { describe, expect, test } from 'vitest';
import { clients, type MakeClient } from './clients.ts';
import { type Step, upstream } from './server.ts';
import { undiciClient } from './undici-client.ts';

const down: Step = { status: 503, body: 'down' };

/** undici follows redirects below ebb, or above it. */
function following(isBelow: boolean): MakeClient {
  const redirect = interceptors.redirect({ maxRedirections: 3 });
  class Following extends Agent {
    override compose(...ebb: never[]) {
      return isBelow ? super.compose(redirect, ...ebb) : super.compose(...ebb, redirect);
    }
  }
  return (policy) => undiciClient({ Agent: Following as typeof Agent, request }, policy);
}

// What the throttle learns shows from the third bad outcome in a row on: not from the second request, as if both hops had taught it.
test.each<[string, MakeClient, attempts: number]>([
  ['fetch', clients.fetch as MakeClient, 3],
  ['axios', clients.axios as MakeClient, 3],
  ['undici, redirects followed below', following(true), 3],
  // Each hop is a request of its own there, and those of another path are of another class.
  ['undici, redirects followed above', following(false), 6],
])('a redirected request is one request, and teaches once: %s', async (_, makeClient, attempts) => {
  const clock = virtualClock({ startMs: 0 });
  const asked: number[] = [];
  const server = await upstream(
    Array.from({ length: 12 }, (_, at) =>
      at % 2 === 0 ? { status: 302, headers: { location: '/next' } } : down,
    ),
  );
  const own = adaptiveThrottle();
  const onEvent = ({ type }: EbbEvent) => void (type === 'attempt' && asked.push(clock.elapsedMs));
  const client = makeClient(createPolicy({ clock, random: () => 0, throttle: own, maxRetries: 0, onEvent }));
  for (let at = 1; at <= 6 && own.level === 1; at += 1) {
    expect((await client.send(server.url, {})).status).toBe(503);
    clock.tick(1_000);
    expect(own.level < 1).toBe(at >= 3);
  }
  expect(asked.length).toBe(attempts);
  await client.close();
  await server.close();
});

describe('layers', () => {
  test('an inner one learns nothing: to it, the retries of a layer above are first attempts', async () => {
    const clock = virtualClock({ startMs: 0 });
    const inner = adaptiveThrottle();
    const base = createFetch({ clock, throttle: inner }, async () => new Response(null, { status: 503 }));
    const backoff = constant(1_000);
    const fetch = createFetch({ clock, random: () => 0, maxRetries: 5, backoff }, base);
    expect((await clock.runUntilSettled(fetch('http://a.test/'))).status).toBe(503);
    expect(inner.level).toBe(1);
    for (let at = 0; at < 3; at += 1) {
      const alone = base('http://a.test/', { ebb: { maxRetries: 0 } });
      expect((await clock.runUntilSettled(alone)).status).toBe(503);
      clock.tick(1_000);
    }
    expect(inner.level).toBeLessThan(1);
  });

  test('the outermost skips and learns: an inner one has no scheduled attempts of its own', async () => {
    const clock = virtualClock({ startMs: 0 });
    const [inner, outer] = [adaptiveThrottle(), adaptiveThrottle()];
    const base = createFetch({ clock, throttle: inner }, async () => new Response(null, { status: 503 }));
    const fetch = createFetch({ clock, random: () => 0, throttle: outer, maxRetries: 0 }, base);
    inner.isolate();
    for (let at = 0; at < 3; at += 1) {
      expect((await fetch('http://a.test/')).status).toBe(503);
      clock.tick(1_000);
    }
    expect(outer.level).toBeLessThan(1);
    outer.isolate();
    await expect(fetch('http://a.test/')).rejects.toMatchObject({ reason: 'overload' });
  });
});
