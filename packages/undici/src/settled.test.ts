import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPolicy, quotaBucket } from '@ebb/core';
import { virtualClock } from '@ebb/core/testing';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { ebbInterceptor } from './index.ts';

test('a call is charged when its body has ended', async () => {
  let end: () => void = () => undefined;
  const server = createServer((_, response) => {
    response.write('hello');
    end = () => response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clock = virtualClock({ startMs: 0 });
  const limits = { tokens: { refillPerSecond: 1e-3, capacity: 60, settled: true } };
  const bucket = quotaBucket({ limits, clock });
  const agent = new Agent();
  try {
    const dispatcher = agent.compose(
      ebbInterceptor(createPolicy({ bucket, clock, cost: 50, maxRetries: 0 })),
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { body } = await request(url, { dispatcher });
    clock.tick(100_000);
    // Held back, and so not refilled.
    expect(bucket.stats().tokens).toBe(10);
    end();
    expect(await body.text()).toBe('hello');
    clock.tick(100_000);
    expect(bucket.stats().tokens).toBeCloseTo(10.1, 6);
  } finally {
    await agent.close();
    server.close();
  }
});
