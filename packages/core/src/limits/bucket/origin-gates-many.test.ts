import { expect, test } from 'vitest';
import { virtualClock } from '../../testing.ts';
import { OriginGates } from './origin-gates.ts';
import { type MemoryBucket, tokenBucket } from './token-bucket.ts';

test('pausing many origins in turn checks a few gates each, and full gates are dropped', () => {
  const clock = virtualClock({ startMs: 0 });
  let looks = 0;
  const gates = new OriginGates(() => {
    const gate: MemoryBucket = tokenBucket({ refillPerSecond: 10, capacity: 1, initialTokens: 0, clock });
    const { stats } = gate;
    gate.stats = () => {
      looks += 1;
      return stats.call(gate);
    };
    return gate;
  });
  for (let host = 0; host < 10_000; host += 1) {
    gates.pause(`https://h${host}.test`, 100);
    clock.tick(1);
  }
  expect(looks).toBeLessThan(25_000);
  // A gate is closed for 100 ms and full after 100 more; the next checks drop it within another 100.
  expect(gates.stats().count).toBeLessThanOrEqual(200);
});
