import { ebbInterceptor } from '@ebb/axios';
import { adaptiveThrottle, attemptsOf } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { createFetch } from '@ebb/fetch';
import { type FaultScenario, faults } from '@ebb/testing/faults';
import axios from 'axios';
import { expect, test } from 'vitest';

const SCENARIO: FaultScenario = {
  workers: 2,
  serviceMs: 20,
  serviceSpread: 'constant',
  troubles: [{ type: 'outage', fromMs: 0, untilMs: 2_000 }],
  respond: () => Response.json({ is: 'served' }),
};

test('below createFetch: retries find the service down, then up', async () => {
  const clock = virtualClock();
  const service = faults({ ...SCENARIO, clock });
  const fetch = createFetch({ clock, random: () => 0 }, service);
  // Without redirects a refused connection is that of the first hop, so a POST may be sent again.
  const post = { method: 'POST', body: 'x', redirect: 'error' } as const;
  const response = await clock.runUntilSettled(fetch('http://service.test/', post));
  expect(attemptsOf(response).map(({ reason }) => reason)).toEqual(['refused', 'refused', 'success']);
  expect(await response.json()).toEqual({ is: 'served' });
  expect([service.sent, clock.elapsedMs, clock.pending]).toEqual([3, 3_020, 0]);
});

test('below the adapter of axios for fetch', async () => {
  const clock = virtualClock();
  const service = faults({ ...SCENARIO, clock });
  const client = axios.create({ adapter: 'fetch', env: { fetch: service } });
  client.interceptors.request.use(ebbInterceptor({ clock, random: () => 0 }));
  const response = await clock.runUntilSettled(client.get('http://service.test/'));
  expect(response.data).toEqual({ is: 'served' });
  expect([service.sent, clock.elapsedMs, clock.pending]).toEqual([3, 3_020, 0]);
});

test('a new client with a throttle does not retry a timeout, and leaves nothing behind', async () => {
  const clock = virtualClock();
  const troubles = [{ type: 'outage', answer: 'silence', fromMs: 0, untilMs: 60_000 }] as const;
  const service = faults({ ...SCENARIO, troubles, clock });
  const own = adaptiveThrottle();
  const policy = { clock, random: () => 0, attemptTimeoutMs: 500, totalTimeoutMs: 5_000, throttle: own };
  const fetch = createFetch(policy, service);
  const error = await clock.runUntilSettled(fetch('http://service.test/').catch((thrown) => thrown));
  expect([error.name, service.sent, clock.elapsedMs, clock.pending]).toEqual(['TimeoutError', 1, 3_500, 0]);
});
