import { expect, test, vi } from 'vitest';

test('without an async context a call may be sent at once, unless another may be below it', async () => {
  vi.resetModules();
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
  const [{ mayBeSentAtOnce }, { createPolicy }, { countClient }] = await Promise.all([
    import('./at-once.ts'),
    import('../policy/policy.ts'),
    import('#nested'),
  ]);
  vi.restoreAllMocks();
  countClient();
  countClient();
  const policy = createPolicy();
  const ways = ['socket', 'client', 'function'] as const;
  expect(ways.map((way) => mayBeSentAtOnce(policy, way))).toEqual([true, false, false]);
});
