import { describe, expect, test } from 'vitest';
import type { ModelState } from '../test/model.ts';
import { packed, unpacked } from '../test/packed-state.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import { valkeyBucket } from './index.ts';
import { OPERATOR_SCRIPT } from './operator-script.ts';

const FAR = 9e15;
const unit = { refillPerSecond: 10_000, capacity: 20e6, empty: FAR, given: 7, base: 5, turn: 0 };

/** A bucket with a debt, a pause, two processes and another that has not come back after a loss. */
const STATE: ModelState = {
  ...{ at: 3e6, shift: 0, frame: 1e6, epoch: 1e6, paused: FAR, resumed: 0, version: 2 },
  ...{ count: 3, total: 900_000, ends: FAR, declared: 'requests in 10 20000000 10 20000000' },
  units: ['requests', 'in'].map((name) => ({ ...unit, name })),
  ...{ hasLedger: true, ghost: { share: 100_000, count: 1, ends: 8e15 } },
  records: [
    { name: 'process1', share: 500_000, ends: FAR },
    { name: 'process2', share: 300_000, ends: 7e15 },
  ],
};

describe.runIf(hasServer)('the script of operators', () => {
  const store = useStore();
  const { newKey } = store;

  const operate = (key: string, ...args: string[]): Promise<unknown> =>
    store.client.eval(OPERATOR_SCRIPT, 1, key, ...args);

  /** Runs an operation on the bucket, and returns the state that the store then holds. */
  async function after(...args: string[]): Promise<ModelState> {
    const key = newKey();
    await store.client.set(key, packed(STATE));
    expect(await operate(key, ...args)).toMatchObject({ 0: 1 });
    expect(await store.client.pttl(key)).toBeGreaterThan(0);
    return unpacked((await store.client.getBuffer(key)) as Buffer);
  }

  test('leave takes a process out, and what it held is free', async () => {
    const { records, ...rest } = STATE;
    expect(await after('leave', 'process1')).toEqual({
      ...{ ...rest, count: 2, total: 400_000, ends: 8e15 },
      records: records.slice(1),
    });
  });

  test('reset empties every unit, for those who give tokens back as well, and ends the pause', async () => {
    const { paused, units } = await after('reset');
    expect(paused).toBeLessThan(FAR);
    for (const { empty, given, base } of units)
      expect([empty, given - 7, base]).toEqual([paused, FAR - paused, FAR]);
  });

  test('set changes the named unit, whose debt stays', async () => {
    const { version, units } = await after('set', '2', 'in ', '5 10000000');
    expect([version, units[0]]).toEqual([3, STATE.units[0]]);
    expect(units[1]).toMatchObject({ refillPerSecond: 5_000, capacity: 10e6 });
    expect(units[1]?.empty).toBeGreaterThan(1.9 * FAR - 1e15);
  });

  test.each([
    [
      ['set', '1', 'in ', '5 10000000'],
      [2, 2],
    ],
    [['set', '2', 'out ', '5 10000000'], [3]],
    [['leave', 'process3'], [3]],
  ])('%j is refused', async (args, reply) => {
    const key = newKey();
    await store.client.set(key, packed(STATE));
    expect(await operate(key, ...args)).toEqual(reply);
    expect(unpacked((await store.client.getBuffer(key)) as Buffer)).toEqual(STATE);
    expect(await operate(newKey(), ...args)).toEqual([0]);
  });

  test('setLimits of one process reaches another one', async () => {
    const options = { client: store.client, key: `set ${process.pid}`, refillPerSecond: 10, capacity: 20 };
    const [one, other] = [valkeyBucket(options), valkeyBucket({ ...options, nonConforming: 'reject' })];
    await other.acquire({ cost: 5 });
    await one.setLimits({ refillPerSecond: 1e-3, capacity: 7 });
    expect(one.stats()).toMatchObject({ refillPerSecond: 1e-3, capacity: 7, mode: 'shared' });
    await expect(other.acquire({ cost: 8 })).rejects.toThrow();
    // Seven tokens are left of fifteen.
    await one.acquire({ cost: 7 });
    await expect(other.acquire({ cost: 1 })).rejects.toMatchObject({ reason: 'not-conforming' });
    expect(other.stats()).toMatchObject({ refillPerSecond: 1e-3, capacity: 7 });
    await Promise.all([one.close(), other.close()]);
  });

  test('limits that were set are kept for a day', async () => {
    const key = newKey();
    await operate(key, 'set', '1', ' ', '5 5000000', ' 5 1000000', ' ', '5 5000000', '1');
    expect(await store.client.pttl(key)).toBeLessThan(3_000);
    await operate(key, 'set', '1', ' ', '6 5000000');
    expect(await store.client.pttl(key)).toBeGreaterThan(86_000_000);
  });

  test.each([
    ['a text', 'does not hold a bucket'],
    [Buffer.from([235, 2, 9]), 'was written by a newer version'],
  ])('rejects a key that holds %j', async (value, message) => {
    const key = newKey();
    await store.client.set(key, value, 'PX', 10_000);
    await expect(operate(key, 'reset')).rejects.toThrow(message);
  });
});
