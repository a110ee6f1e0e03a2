import { mock } from 'node:test';
import { expect, onTestFinished, test } from 'vitest';
import { inRealTime, keepAlive } from './node-timers.ts';

const timersOfNode = (): number => {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
};

test('a timer of real time is cleared under the timers of node:test, which keep nothing of what they replace', async () => {
  const before = timersOfNode();
  const cancelEarlier = inRealTime(() => undefined, 100_000);
  mock.timers.enable();
  onTestFinished(() => mock.timers.reset());
  inRealTime(() => undefined, 100_000)();
  await keepAlive(Promise.resolve());
  cancelEarlier();
  expect(timersOfNode()).toBe(before);
});
