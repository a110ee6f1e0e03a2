import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { budgetModel } from '../test/budget-model.ts';
import { timed, timeKey } from '../test/script-player.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import { BUDGET_SCRIPT, BUDGET_SCRIPT_SHA1 } from './budget-script.ts';

/** Five seconds after an hour has begun. */
const START_US = 3.6e9 * 15_000 + 5e6;

const TIMED_SCRIPT = timed(BUDGET_SCRIPT);

/** The arguments of a call that reports one success. */
const DEPOSIT = ['200000', '3000000', '1000000', '0', '0', '1', '0', '0'];

describe.runIf(hasServer)('the budget script', () => {
  const store = useStore();
  const newKey = (): string => `${store.newKey()}:budget`;

  test.each([
    [0.2, 10, 1e6],
    [0.1, 3.5, 200],
    [1.5, 0, 1_000],
    [1 / 3, 1_000, 5_000],
    [0, 20, 100],
  ])('replies as its model in TypeScript, call by call: %d, %d, %d', async (ratio, reserve, slotUs) => {
    const random = seededRandom(slotUs);
    const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
    const key = newKey();
    let kept: string | undefined;
    let [realUs, calledUs] = [START_US, 0];
    for (let step = 0; step < 300; step += 1) {
      const chance = random();
      if (chance < 0.02) {
        await store.client.del(key);
        kept = undefined;
      }
      // No process has called for some slots, or for hours; or the server's clock was set back, by less than a second or by more.
      const slots =
        chance < 0.03
          ? 0
          : chance < 0.05
            ? between(60, 200)
            : chance < 0.09
              ? -between(1, 40)
              : between(0, 3);
      realUs += Math.floor(slots * slotUs) + (chance < 0.03 ? between(1, 3) * 3.6e9 : between(1, 500));
      const amounts = [
        random() < 0.5 ? between(0, 30) : 0,
        random() < 0.2 ? between(0, 5) : 0,
        between(0, 8),
      ];
      const untilUs = random() < 0.1 ? realUs + between(-2_000, 2_000) : 0;
      const terms = [
        Math.floor(ratio * 1e6),
        Math.floor(reserve * 1e6),
        random() < 0.01 ? slotUs * 2 : slotUs,
      ];
      const args = [...terms, untilUs, random() < 0.5 ? calledUs : 0, ...amounts].map(String);
      const [reply, text] = await Promise.all([
        store.client.eval(TIMED_SCRIPT, 2, key, timeKey(realUs), ...args),
        store.client.get(key),
      ]);
      const wanted = budgetModel(kept, args, realUs);
      expect(reply, `step ${step}: ${args}`).toEqual(wanted.reply);
      kept = text ?? undefined;
      expect(kept, `step ${step}: ${args}`).toBe(wanted.text);
      calledUs = realUs;
    }
  });

  test('has the SHA-1 that the server computes', async () => {
    expect(await store.client.script('LOAD', BUDGET_SCRIPT)).toBe(BUDGET_SCRIPT_SHA1);
  });

  test('lets a key expire that no process has used for a day', async () => {
    const key = newKey();
    await store.client.eval(BUDGET_SCRIPT, 1, key, ...DEPOSIT);
    expect(await store.client.pttl(key)).toBeGreaterThan(86_000_000);
  });

  test('rejects a key with another type of value', async () => {
    const key = newKey();
    await store.client.set(key, 'a text', 'PX', 10_000);
    const called = store.client.eval(BUDGET_SCRIPT, 1, key, ...DEPOSIT);
    await expect(called).rejects.toThrow('does not hold a budget');
  });
});
