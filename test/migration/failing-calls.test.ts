import axios from 'axios';
import rateLimit from 'axios-rate-limit';
import Bottleneck from 'bottleneck';
import PQueue from 'p-queue';
import pThrottle from 'p-throttle';
import { describe, expect, test, vi } from 'vitest';
import { fakeTime } from './fake-time.ts';
import type { Take } from './limiters.ts';

fakeTime();

describe('a call that fails has used its share of the rate', () => {
  type Limited = (call: () => Promise<void>) => Take;
  const interval = 1_000;
  const limits: Readonly<Record<string, Limited>> = {
    bottleneck: (call) => {
      const limiter = new Bottleneck({
        reservoir: 10,
        reservoirRefreshAmount: 10,
        reservoirRefreshInterval: interval,
      });
      return () => limiter.schedule(call);
    },
    'p-throttle': (call) => pThrottle({ limit: 10, interval })(call),
    'p-queue': (call) => {
      const queue = new PQueue({ intervalCap: 10, interval });
      return () => queue.add(call);
    },
    'axios-rate-limit': (call) => {
      const client = axios.create({ adapter: call as never });
      const limited = rateLimit(client, { maxRequests: 10, perMilliseconds: interval });
      return () => limited.get('http://upstream.test/');
    },
  };

  test.each(Object.entries(limits))('%s', async (_, limited) => {
    let calls = 0;
    const take = limited(async () => {
      calls += 1;
      throw new Error('down');
    });
    for (let n = 0; n < 20; n += 1) void take().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(900);
    expect(calls).toBe(10);
  });
});
