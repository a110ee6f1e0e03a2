import { expect, test } from 'vitest';
import { HEALTHY, healthySums } from './healthy.ts';

// A smaller set. That of the page: pnpm bench overload healthy.

test('a service that nothing ails: nothing is put off or refused, and hardly a timeout is not retried', async () => {
  const runs = HEALTHY.filter(({ seed }) => seed === 1);
  expect(runs).toHaveLength(24);
  const { asked, skipped, refused, failed } = await healthySums(runs, 20, 15_000);
  expect(asked).toBeGreaterThan(50_000);
  expect([skipped, refused]).toEqual([0, 0]);
  // A client that has had few answers does not retry its timeouts.
  expect(failed / asked).toBeLessThan(1e-4);
}, 30_000);
