import { createPolicy, type Outcome, type RequestTraits } from '@ebb/core';
import { Call } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { judge, prepare } from '../../core/test/steps.ts';
import { ModelStore } from '../test/model-store.ts';
import { valkeyBucket } from './index.ts';

const request: RequestTraits = {
  method: 'GET',
  url: 'https://upstream.test/',
  replayable: true,
  header: () => undefined,
};
const unreached: Outcome = {
  type: 'failure',
  kind: 'connect',
  error: new Error('refused'),
  redirected: false,
};
const reset: Outcome = { type: 'failure', kind: 'network', error: new Error('reset') };

/** Two processes that share five tokens, with almost no refill. */
function setUp() {
  const clock = virtualClock({ startMs: 0 });
  const store = new ModelStore(clock);
  const shared = { client: store, key: 'k', refillPerSecond: 1e-3, capacity: 5, clock };
  const [bucket, other] = [valkeyBucket(shared), valkeyBucket(shared)];
  /** Sends a request of five tokens whose attempts all have this outcome; returns the number of attempts. */
  const send = async (outcome: Outcome): Promise<number> => {
    const session = new Call(
      createPolicy({ clock, bucket, cost: 5, maxRetries: 2, backoff: () => 1_000 }),
      request,
    );
    let attempts = 0;
    for (let again = true; again; ) {
      const ready = prepare(session);
      await clock.advance(2_000);
      await ready;
      attempts += 1;
      again = judge(session, outcome).retry;
    }
    await clock.advance(2_000);
    return attempts;
  };
  return { clock, bucket, other, send };
}

describe('the tokens of an attempt', () => {
  test('that was never sent go back to the fleet each time: its retries can take them, and so can another process', async () => {
    const { clock, bucket, other, send } = setUp();
    expect(await send(unreached)).toBe(3);
    const granted = other.acquire({ cost: 5, maxWaitMs: 100 });
    await clock.advance(100);
    expect(await granted).toMatchObject({ cost: 5 });
    await Promise.all([bucket.close(), other.close(), clock.advance(1_000)]);
  });

  test('that may have been sent stay spent', async () => {
    const { clock, bucket, send } = setUp();
    const sent = send(reset);
    await clock.advance(10_000);
    expect(bucket.stats()).toMatchObject({ granted: 1, waiting: 1 });
    void sent.catch(() => undefined);
    await Promise.all([bucket.close(), clock.advance(1_000)]);
  });
});
