import { describe, expect, test } from 'vitest';
import { burstUnder, GATEWAY_CASES, gatewayServes, taskStarts } from './bucket-cases.ts';

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

  test('starts 100 tasks with each refill with a bucket of 100', () => {
    expect(perStep(100)).toEqual([100, 100, 100, 100, 100, 100, 100, 100, 100, 100]);
  });

  test('starts tasks only at refills', () => {
    expect(new Set(taskStarts(100, 2_000).map((startMs) => startMs % 200))).toEqual(new Set([0]));
  });
});

describe('the three treatments of non-conforming requests', () => {
  test('delay sends all requests in order and within the quota', () => {
    const sent = burstUnder('delay').map(({ sentAtMs }) => sentAtMs ?? Number.NaN);
    expect(sent).toHaveLength(300);
    expect(sent).toEqual(sent.toSorted((a, b) => a - b));
    for (const [at, sentMs] of sent.entries()) {
      const inWindow = sent.filter((other) => other >= sentMs && other <= sentMs + 500).length;
      expect(inWindow, `from request ${at}`).toBeLessThanOrEqual(20 + 50 + 1);
    }
  });

  test('reject sends conforming requests at once, and no others', () => {
    const passages = burstUnder('reject');
    for (const { arrivedAtMs, sentAtMs, conforming } of passages) {
      expect(sentAtMs).toBe(conforming ? arrivedAtMs : undefined);
    }
    expect(passages.filter(({ conforming }) => !conforming).length).toBeGreaterThan(50);
  });

  test('mark sends all requests at once, and marks those that reject does not send', () => {
    const marked = burstUnder('mark');
    expect(marked.every(({ arrivedAtMs, sentAtMs }) => sentAtMs === arrivedAtMs)).toBe(true);
    expect(marked.map(({ conforming }) => conforming)).toEqual(
      burstUnder('reject').map(({ conforming }) => conforming),
    );
  });
});
