import { describe, expect, test } from 'vitest';
import { GATEWAY_CASES, gatewayServes, taskStarts } from './bucket-cases.ts';

describe('API Gateway', () => {
  test('serves as many of 10,000 requests as its documentation says', () => {
    expect(GATEWAY_CASES.map(({ arrivalsMs }) => arrivalsMs.length)).toEqual([
      10_000, 10_000, 10_000, 10_000, 10_000,
    ]);
    expect(GATEWAY_CASES.map(gatewayServes)).toEqual([
      { served: 10_000, throttled: 0 },
      { served: 5_000, throttled: 5_000 },
      { served: 10_000, throttled: 0 },
      { served: 6_000, throttled: 4_000 },
      { served: 10_000, throttled: 0 },
    ]);
  });
});

describe('App Engine', () => {
  const perStep = (bucketSize: number): number[] => {
    const counts = new Array<number>(10).fill(0);
    for (const startMs of taskStarts(bucketSize, 2_000)) {
      const step = Math.round(startMs / 200);
      counts[step] = (counts[step] ?? 0) + 1;
    }
    return counts;
  };

  test('starts 500 tasks at once with a bucket of 500, and then 100 with each refill', () => {
    expect(perStep(500)).toEqual([500, 100, 100, 100, 100, 100, 100, 100, 100, 100]);
  });

  test('starts tasks only at refills', () => {
    expect(new Set(taskStarts(100, 2_000).map((startMs) => startMs % 200))).toEqual(new Set([0]));
  });
});
