import { describe, expect, test } from 'vitest';
import { SERVERS } from './worlds/servers.ts';
import { run } from './worlds/world.ts';

// The worlds of `pnpm bench quota use`, which prints the figures.
describe.each(SERVERS)('$name: the quota is used, and hardly a request refused', ({ rule, cases }) => {
  test.each(cases)('$name', async ({ client, least, mostRefused = 0.001, rule: own = rule, ...options }) => {
    const { refused, use, steadyUse } = await run(own, client, options);
    expect(refused).toBeLessThanOrEqual(mostRefused);
    expect(use).toBeGreaterThan(least);
    expect(steadyUse).toBeGreaterThan(0.95);
  });
});
