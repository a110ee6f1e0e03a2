import { createPolicy, type Outcome, type RequestTraits } from '@ebb/core';
import { Call } from '@ebb/core/adapter';
import type { VirtualClock } from '@ebb/core/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { judge, prepare } from '../../core/test/steps.ts';
import { StoreWorld } from '../test/busy-fleet.ts';
import type { ValkeyBucketOptions } from './index.ts';

let world: StoreWorld;
let clock: VirtualClock;

beforeEach(() => {
  world = new StoreWorld();
  ({ clock } = world);
});

function to(url: string): RequestTraits {
  return { method: 'GET', url, replayable: true, header: () => undefined };
}

const ill = to('https://ill.test/a');
const well = to('https://well.test/');
const fine: Outcome = { type: 'response', status: 200, header: () => undefined };
const slowDown: Outcome = {
  type: 'response',
  status: 429,
  header: (name) => (name === 'retry-after' ? '30' : undefined),
};

/** One process of the fleet. */
function processWith(options: Partial<ValkeyBucketOptions> = {}) {
  const bucket = world.bucket({ refillPerSecond: 100, capacity: 20, random: () => 0, ...options });
  const policy = createPolicy({ clock, bucket, random: () => 0, maxRetries: 0 });
  const sentTo: string[] = [];
  const errors: unknown[] = [];
  /** Sends a request that gets this response. */
  const send = async (request: RequestTraits, response = fine, signal?: AbortSignal): Promise<void> => {
    const session = new Call(policy, request);
    try {
      await prepare(session, signal);
      sentTo.push(request.url);
      judge(session, response);
    } catch (error) {
      errors.push(error);
    }
  };
  return { bucket, sentTo, errors, send };
}

/** A process that got a 429 with Retry-After from one origin. */
async function slowedDown(options: Partial<ValkeyBucketOptions> = {}) {
  const process = processWith(options);
  await Promise.all([process.send(ill, slowDown), clock.advance(50)]);
  return process;
}

describe('a pause that an origin asks for', () => {
  test('applies to that origin; requests to others go on with the shared tokens', async () => {
    const { bucket, sentTo, send } = await slowedDown();
    const waits = send(ill);
    const goes = send(well);
    await clock.advance(50);
    await goes;
    expect(sentTo).toEqual([ill.url, well.url]);
    expect(bucket.stats()).toMatchObject({ waiting: 1, idle: false });
    expect(bucket.stats().pausedMs).toBeGreaterThan(29_000);
    await clock.advance(31_000);
    await waits;
    expect(sentTo).toEqual([ill.url, well.url, ill.url]);
    expect(bucket.stats()).toMatchObject({ waiting: 0, pausedMs: 0 });
  });

  test('applies in the process that got the response', async () => {
    await slowedDown();
    const other = processWith();
    void other.send(ill);
    await clock.advance(50);
    expect(other.sentTo).toEqual([ill.url]);
  });

  test("applies to the whole fleet with feedbackScope 'bucket'", async () => {
    const other = processWith({ feedbackScope: 'bucket' });
    const processes = [await slowedDown({ feedbackScope: 'bucket' }), other];
    const waits = processes.flatMap(({ send }) => [send(ill), send(well)]);
    await clock.advance(1_000);
    expect(processes.map(({ sentTo }) => sentTo)).toEqual([[ill.url], []]);
    await clock.advance(31_000);
    await Promise.all(waits);
    expect(processes.map(({ sentTo }) => sentTo.length)).toEqual([3, 2]);
  });

  test('applies to all origins if the request is not known', async () => {
    const { bucket, send, sentTo } = processWith();
    const [grant] = await Promise.all([bucket.acquire(), clock.advance(50)]);
    bucket.observe?.(slowDown, grant);
    void send(well);
    await clock.advance(1_000);
    expect(sentTo).toEqual([]);
    await Promise.all([bucket.close(), clock.advance(1_000)]);
  });
});

describe('a request that waits for a paused origin', () => {
  test('is rejected when the bucket is closed, and so is the next', async () => {
    const { bucket, send, sentTo, errors } = await slowedDown();
    const waits = [send(ill), send(ill)];
    await clock.advance(10);
    void bucket.close();
    await clock.advance(50);
    await Promise.all(waits);
    await send(ill);
    expect(errors).toEqual(Array(3).fill(expect.objectContaining({ reason: 'closed' })));
    expect(errors[0]).not.toBe(errors[1]);
    expect(sentTo).toEqual([ill.url]);
    expect(clock.pending).toBe(0);
  });

  test('rejects with the reason of its signal', async () => {
    const { bucket, send, errors } = await slowedDown();
    const controller = new AbortController();
    const waits = send(ill, fine, controller.signal);
    await clock.advance(10);
    const reason = new Error('enough');
    controller.abort(reason);
    await waits;
    expect(errors).toEqual([reason]);
    await Promise.all([bucket.close(), clock.advance(1_000)]);
    await clock.advance(50);
    expect(clock.pending).toBe(0);
  });
});
