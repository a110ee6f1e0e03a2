import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import type { ModelState, ScriptReply } from '../test/model.ts';
import { operatorModel } from '../test/operator-model.ts';
import { packed, unpacked } from '../test/packed-state.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import { valkeyBucket } from './index.ts';
import { OPERATOR_SCRIPT } from './operator-script.ts';

const store = useStore();
const { newKey } = store;

const random = seededRandom(38);
const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
const RATES = [1 / 3, 7.5, 33.3, 1_000];
const rateOf = (): number => RATES[between(0, RATES.length)] as number;

/** A state as it may be some time after `now`, or before. */
function stateAt(now: number): ModelState {
  const around = (byUs: number): number => now + between(-byUs, byUs);
  const names = random() < 0.4 ? [''] : ['requests', 'in', 'out'].slice(0, between(1, 4));
  const records = Array.from({ length: between(0, 4) }, (_, at) => ({
    ...{ name: `process${at}`, share: between(0, 400_000), ends: around(3e6) },
  }));
  const hasGhosts = random() < 0.3;
  return {
    ...{ at: around(3e6), shift: random() < 0.3 ? between(-5e6, 5e6) : 0 },
    ...{ frame: around(9e6), epoch: around(9e6) },
    ...{ paused: random() < 0.3 ? around(9e6) : 0, resumed: random() < 0.2 ? around(2e6) : 0 },
    ...{ version: between(1, 4), count: records.length, total: 5, ends: around(3e6) },
    declared: `${names.map((name) => `${name} `).join('')}${names.map(() => '10 5000000').join(' ')}`,
    units: names.map((name) => ({
      ...{ name, refillPerSecond: rateOf() * 1_000, capacity: between(1, 9) * 1e6 },
      ...{ empty: around(9e6), given: between(0, 9e6), base: around(9e6), turn: between(0, 9) },
    })),
    hasLedger: records.length > 0 || hasGhosts,
    ghost: hasGhosts
      ? { share: between(1, 400_000), count: between(1, 4), ends: around(3e6) }
      : { share: 0, count: 0, ends: 0 },
    records,
  };
}

function argsFor(state: ModelState | undefined): string[] {
  const names = (state?.units ?? [{ name: '' }, { name: 'requests' }]).map(({ name }) => name);
  const some = names.filter(() => random() < 0.7);
  if (random() < 0.1) some.push('another');
  const limits = some.map((name) => {
    const unit = state?.units.find((other) => other.name === name);
    // Sometimes what it is already.
    if (unit !== undefined && random() < 0.3) return `${unit.refillPerSecond / 1_000} ${unit.capacity}`;
    return `${rateOf()} ${between(1, 9) * 1e6}`;
  });
  const text = (list: readonly string[]): string => list.map((name) => `${name} `).join('');
  const all = names.map(() => `${rateOf()} ${between(1, 9) * 1e6}`).join(' ');
  const version = random() < 0.3 ? between(1, 4) : (state?.version ?? 1);
  const made = random() < 0.5 ? [`${text(names)}${all}`, text(names), all, `${version}`] : [];
  const calls = [
    ['inspect'],
    ['set', `${version}`, text(some), limits.join(' '), ...made],
    ['leave', `process${between(0, 4)}`],
    ['reset'],
  ];
  return calls[between(0, calls.length)] as string[];
}

/** Without how long the key lives, and with rates as numbers of twelve digits. */
const plain = (reply: ScriptReply): ScriptReply =>
  reply.map((part, place) => {
    if (place === 8 || place === 9) return 0;
    const number = Number(part);
    return part !== '' && Number.isFinite(number) ? Number(number.toPrecision(14)) : part;
  });

describe.runIf(hasServer)('the script of operators', () => {
  test('replies as its model in TypeScript, over states of all kinds', async () => {
    const seen = new Map<string, number>();
    for (let step = 0; step < 1_500; step += 1) {
      const key = newKey();
      const [seconds, us] = (await store.client.time()) as unknown as [string, string];
      const now = (Number(seconds) - 1_735_689_600) * 1e6 + Number(us);
      const state = random() < 0.1 ? undefined : stateAt(now);
      if (state !== undefined) await store.client.set(key, packed(state), 'PX', 60_000);
      const args = argsFor(state);
      const reply = (await store.client.eval(OPERATOR_SCRIPT, 1, key, ...args)) as ScriptReply;
      const [status, told = 0, shift = 0] = reply.map(Number);
      const note = `${args[0]} ${status}`;
      seen.set(note, (seen.get(note) ?? 0) + 1);
      // A small step back of the clock is waited out: then the time is that of the state.
      const real = status === 1 ? told - shift : now;
      const text = state && JSON.stringify(state);
      const wanted = operatorModel(text, args, real);
      expect(plain(reply), `${step}: ${args.join(' | ')}`).toEqual(plain(wanted.reply));
      const value = await store.client.getBuffer(key);
      const kept = value === null ? undefined : unpacked(value);
      const expected = wanted.text === undefined ? undefined : (JSON.parse(wanted.text) as ModelState);
      expect(rounded(kept), `${step}: ${args.join(' | ')}`).toEqual(rounded(expected));
      if (kept !== undefined) expect(await store.client.pttl(key)).toBeGreaterThan(0);
    }
    expect([...seen.keys()].sort().join(', ')).toBe(
      'inspect 0, inspect 1, leave 0, leave 1, leave 3, reset 0, reset 1, set 0, set 1, set 2, set 3',
    );
    for (const [kind, times] of seen) expect(times, kind).toBeGreaterThan(5);
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
    const before = ['set', '1', ' ', '5 5000000', ' 5 1000000', ' ', '5 5000000', '1'];
    await store.client.eval(OPERATOR_SCRIPT, 1, key, ...before);
    expect(await store.client.pttl(key)).toBeLessThan(3_000);
    await store.client.eval(OPERATOR_SCRIPT, 1, key, 'set', '1', ' ', '6 5000000');
    expect(await store.client.pttl(key)).toBeGreaterThan(86_000_000);
  });

  test.each([
    ['a text', 'does not hold a bucket'],
    [Buffer.from([235, 2, 9]), 'was written by a newer version'],
  ])('rejects a key that holds %j', async (value, message) => {
    const key = newKey();
    await store.client.set(key, value, 'PX', 10_000);
    await expect(store.client.eval(OPERATOR_SCRIPT, 1, key, 'reset')).rejects.toThrow(message);
  });
});

/** Rates are kept per microsecond by the model. */
const rounded = (state: ModelState | undefined): unknown =>
  state && {
    ...state,
    units: state.units.map((unit) => ({
      ...unit,
      refillPerSecond: Number(unit.refillPerSecond.toPrecision(14)),
    })),
  };
