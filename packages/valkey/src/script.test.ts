import type { Quota } from '@ebb/core/bucket';
import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import type { ModelState } from '../test/model.ts';
import { Caller, type Limits, ModelHost, ServerHost } from '../test/script-player.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import { SCRIPT, SCRIPT_SHA1 } from './script.ts';
import { type LeaseMark, markOf, type StoreCall } from './store-call.ts';

const MODES = ['lease', 'refund', 'spend', 'pause', 'unpause', 'resume', 'peek'] as const;
const one = (refillPerSecond: number, capacity: number): Quota => ({ refillPerSecond, capacity });
const TRACES: [seed: number, ...callers: Limits[]][] = [
  [1, one(20_000, 5)],
  [2, one(7_000.7, 2.5)],
  [3, one(1e6, 300)],
  [4, one(300_000, 20), one(200_000, 30)],
  [5, one(1 / 3, 2.5)],
  [6, { requests: one(1_000, 20), in: one(20_000, 90), out: one(50, 5) }],
  [7, { requests: one(7.5, 100), out: one(3_000, 1) }, { out: one(3_000, 2), 'a unit': one(500, 9) }],
];

/** Any call of a process with these limits; few pauses and charges, after which there would never be a token. */
function anyCall({ limits }: Caller, marks: LeaseMark[], random: () => number): StoreCall {
  const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
  // A request may cost nothing of a unit.
  const free = limits.length > 1 && random() < 0.3 ? between(0, limits.length) : -1;
  const amounts = limits.map(({ capacity }, unit) =>
    unit === free ? 0 : Math.ceil(Math.max(1e-3, random() ** 3 * capacity) * 1e6),
  );
  const times = (factor: number): number[] => amounts.map((each) => each * factor);
  const leases = marks.splice(0, random() < 0.3 ? between(0, 3) : 0).map((mark) => ({ amounts, mark }));
  const durationMs = between(0, 5_000) / 1_000;
  const calls: Record<(typeof MODES)[number], StoreCall> = {
    lease: {
      ...{ mode: 'lease', minAmounts: amounts, maxAvailable: times(between(1, 5)) },
      maxFuture: times(random() < 0.3 ? between(0, 3) : 0),
      withinMs: random() < 0.3 ? between(-1, 3_000) / 1_000 : 0,
      ...{ leases, spent: random() < 0.1 ? amounts : undefined },
    },
    refund: { mode: 'refund', leases },
    spend: { mode: 'spend', amounts },
    pause: { mode: 'pause', durationMs },
    unpause: { mode: 'unpause' },
    resume: { mode: 'resume', outageMs: durationMs, handoverMs: between(0, 2_000) / 1_000 },
    peek: { mode: 'peek' },
  };
  const mode = MODES[between(0, MODES.length)] as (typeof MODES)[number];
  const isRare = mode === 'spend' || mode === 'pause' || mode === 'resume';
  return random() < 0.3 || (isRare && random() < 0.6) ? calls.lease : calls[mode];
}

describe.runIf(hasServer)('the bucket script', () => {
  const store = useStore();
  const { newKey } = store;

  const seen: Record<string, number> = {};

  test.each(TRACES)(
    'replies as its model in TypeScript, call by call (trace %i: %j)',
    async (seed, ...limits) => {
      const random = seededRandom(seed);
      const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
      const [server, modelled] = [new ServerHost(store), new ModelHost()];
      const callers = Array.from({ length: 6 }, (_, at) => new Caller(limits[at % limits.length] as Limits));
      const marks: LeaseMark[][] = callers.map(() => []);
      const shares = callers.map(() => 0);
      const olds: (ModelState | undefined)[] = [undefined];
      let [realUs, atUs] = [6e13, 0];
      for (let step = 0; step < 600; step += 1) {
        const at = between(0, callers.length);
        const caller = callers[at] as Caller;
        const call = anyCall(caller, marks[at] as LeaseMark[], random);
        if (random() < 0.3) {
          const [holdsMs, expected] = [
            random() < 0.1 ? 0 : between(1, 100),
            random() < 0.3 ? between(1, 8) : 0,
          ];
          const held = random() < 0.9 ? (shares[at] as number) : 0;
          call.who = { name: `process${at}`, held, holdsMs, expected };
        }
        // The key is lost, or an older state takes its place; or the clock is set.
        if (random() < 0.02) {
          const old = olds[between(0, olds.length)];
          await Promise.all([server.write(old), modelled.write(old)]);
        }
        realUs += random() < 0.01 ? between(-5, 5) * 1e6 : between(0, 1_000);
        const untilUs = random() < 0.7 ? 0 : atUs + between(-1_000, 5_000);
        const args = caller.args(call, untilUs, random() < 0.95 ? 0 : atUs + between(0, 3_000));
        const [reply, state, wanted] = await Promise.all([
          server.run(args, realUs),
          server.read(),
          modelled.run(args, realUs),
        ]);
        expect(reply.map(Number), `step ${step}: ${args.join(' | ')}`).toEqual(wanted.map(Number));
        expect(state).toEqual(await modelled.read());
        const told = caller.learn(call, reply);
        if (told.share !== undefined) shares[at] = told.share;
        if (told.epoch > 0) marks[at]?.push(markOf(told));
        if (random() < 0.05) olds.push(state);
        ({ atUs } = told);
        const kind = `${call.mode}${told.tooLate ? ' too late' : told.waitMs > 0 ? ' denied' : ''}`;
        seen[kind] = (seen[kind] ?? 0) + 1;
      }
    },
  );

  test('and the traces contain enough calls of each kind', () => {
    const kinds = [...MODES.flatMap((mode) => [mode, `${mode} too late`]), 'lease denied'];
    expect(Object.keys(seen).sort()).toEqual(kinds.sort());
    for (const [kind, times] of Object.entries(seen)) expect(times, kind).toBeGreaterThan(3);
  });

  test('has the SHA-1 that the server computes', async () => {
    expect(await store.client.script('LOAD', SCRIPT)).toBe(SCRIPT_SHA1);
  });

  const call = async (key: string, made: StoreCall): Promise<unknown> =>
    store.client.eval(SCRIPT, 1, key, ...new Caller(one(1, 10)).args(made));
  const lease: StoreCall = {
    ...{ mode: 'lease', minAmounts: [5e6], maxAvailable: [5e6], maxFuture: [0], withinMs: 0 },
  };

  test('lets the key expire once the bucket is full and every share has expired', async () => {
    const key = newKey();
    await call(key, lease);
    // 5 tokens at one a second. A second is added because the clocks of a store and its replicas differ.
    expect(await store.client.pttl(key)).toBeGreaterThan(5_000);
    expect(await store.client.pttl(key)).toBeLessThanOrEqual(6_001);
    await call(key, { ...lease, who: { name: 'process1', held: 0, expected: 0, holdsMs: 50_000 } });
    expect(await store.client.pttl(key)).toBeGreaterThan(50_000);
    await call(key, { mode: 'pause', durationMs: 200_000 });
    expect(await store.client.pttl(key)).toBeGreaterThan(200_000);
  });

  test.each<[name: string, value: string | Buffer, message: string]>([
    ['a text', 'a text', 'does not hold a bucket'],
    ['the state of a newer version', Buffer.from([235, 2, 9]), 'was written by a newer version: update'],
    ['another type of value', '', 'WRONGTYPE'],
  ])('rejects a key with %s', async (_, value, message) => {
    const key = newKey();
    if (value === '') await store.client.lpush(key, 'an entry');
    else await store.client.set(key, value);
    await expect(call(key, lease)).rejects.toThrow(message);
  });
});
