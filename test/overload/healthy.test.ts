import { expect, test } from 'vitest';
import { HEALTHY, healthySums } from './healthy.ts';

// A smaller set. That of the page: pnpm bench overload healthy.

test('a service that nothing ails: nothing is refused, nothing fails, and hardly a request is put off', async () => {
  const runs = HEALTHY.filter(({ seed }) => seed === 1);
  expect(runs).toHaveLength(24);
  const { asked, skipped, refused, failed } = await healthySums(runs, 20, 15_000);
  expect(asked).toBeGreaterThan(50_000);
  expect([refused, failed]).toEqual([0, 0]);
  expect(skipped / asked).toBeLessThan(0.007);
}, 30_000);
