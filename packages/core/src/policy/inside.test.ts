import { expect, test, vi } from 'vitest';
import { throwing } from '../../test/throwing.ts';
import { classifyHttp } from '../http/classify.ts';
import { concurrencyLimit, retryBudget, tokenBucket } from '../index.ts';
import { virtualClock } from '../testing.ts';
import { POLICY, type PolicyOptions } from './options.ts';
import type { Inspector, Plugin } from './plugin.ts';
import { createPolicy } from './policy.ts';

const clock = virtualClock();
const insideOf = (options: PolicyOptions) => createPolicy({ clock, ...options })[POLICY];
const inspector = (): Inspector => ({ judge: () => undefined }) as never;
const plugin = (more: Partial<Plugin> = {}): Plugin => ({ name: 'own', ...more });
const nothing = () => undefined;

test.each<[options: PolicyOptions, isPlain: boolean]>([
  [{}, true],
  [{ maxRetries: 2, backoff: () => 1, methods: 'all', priority: 0, retryAfter: { maxMs: 1 } }, true],
  [{ classify: classifyHttp }, true],
  [{ classify: () => 'success' }, false],
  [{ bucket: tokenBucket({ refillPerSecond: 1, clock }) }, false],
  [{ concurrency: concurrencyLimit({ maxConcurrent: 1, clock }) }, false],
  [{ budget: retryBudget({ clock }) }, false],
  [{ inspect: inspector() as never }, false],
  [{ totalTimeoutMs: 1 }, false],
  [{ attemptTimeoutMs: 1 }, false],
  [{ beforeAttempt: nothing }, false],
  [{ onEvent: nothing }, false],
  [{ plugins: [] }, false],
])('a call of a policy with %j needs nothing before its first failure: %s', (options, isPlain) => {
  expect(insideOf(options).isPlain).toBe(isPlain);
});

test.each<[options: PolicyOptions, hasHeaderHooks: boolean]>([
  [{}, false],
  [{ plugins: [plugin()] }, false],
  [{ beforeAttempt: nothing }, true],
  [{ idempotencyKey: true }, true],
  [{ plugins: [plugin(), plugin({ beforeAttempt: nothing as never })] }, true],
  [{ plugins: [plugin({ publicHeaders: nothing as never }), plugin()] }, true],
])('a policy with %j asks for headers: %s', (options, hasHeaderHooks) => {
  expect(insideOf(options).hasHeaderHooks).toBe(hasHeaderHooks);
});

test('inspectors judge in the order of plugins, the policy and the reader of costs, which is a plugin too', () => {
  const [first, second, own, ofCost] = [inspector(), inspector(), inspector(), inspector()];
  const actualCost = { ...plugin(), inspect: ofCost } as never;
  const plugins = [plugin({ inspect: first as never }), plugin(), plugin({ inspect: second as never })];
  const inside = insideOf({ plugins, inspect: own as never, actualCost });
  expect(inside.inspectors.map((one) => [first, second, own, ofCost].indexOf(one as never))).toEqual([
    0, 1, 2, 3,
  ]);
  expect(inside.plugins).toEqual([actualCost, ...plugins]);
  expect(insideOf({}).inspectors).toEqual([]);
  expect(insideOf({}).plugins).toEqual([]);
});

test('an event goes to the policy and to all plugins, also if one of them fails', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined as never);
  const seen: string[] = [];
  const fails = throwing();
  const see = (name: string) => () => void seen.push(name);
  const plugins = [plugin({ onEvent: fails }), plugin(), plugin({ onEvent: see('plugin') })];
  insideOf({ onEvent: see('policy'), plugins }).onEvent?.({} as never);
  expect(seen).toEqual(['policy', 'plugin']);
  insideOf({ plugins: plugins.slice(1), onEvent: fails }).onEvent?.({} as never);
  expect(seen).toEqual(['policy', 'plugin', 'plugin']);
  expect(String(warn.mock.calls[0]?.[0])).toContain('onEvent failed, and is ignored: boom');
  const own = see('policy');
  expect([insideOf({ onEvent: own }).onEvent, insideOf({}).onEvent]).toEqual([own, undefined]);
});
