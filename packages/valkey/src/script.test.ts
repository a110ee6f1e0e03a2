import type { Quota } from '@ebb/core/bucket';
import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { type ModelState, model, type ScriptReply } from '../test/model.ts';
import { packed, unpacked } from '../test/packed-state.ts';
import { Caller, type Limits } from '../test/script-player.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import type { Reply } from './lease.ts';
import { SCRIPT, SCRIPT_SHA1 } from './script.ts';
import { type LeaseMark, markOf, type StoreCall, type Who } from './store-call.ts';

const store = useStore();
const { newKey } = store;

const run = async (key: string, args: readonly string[]): Promise<ScriptReply> =>
  (await store.client.eval(SCRIPT, 1, key, ...args)) as ScriptReply;

/** A process that calls. */
class Process extends Caller {
  readonly #key: string;

  constructor(key: string, limits: Limits) {
    super(limits);
    this.#key = key;
  }

  async call(call: StoreCall): Promise<Reply> {
    return this.learn(call, await run(this.#key, this.args(call)), performance.now());
  }
}

/** Tokens of each unit, in millionths. */
const micro = (tokens: readonly number[]): number[] => tokens.map((each) => Math.ceil(each * 1e6));

const leaseOf = (amount: number, withinMs = 0, who?: Who): StoreCall => {
  const amounts = micro([amount]);
  return { mode: 'lease', minAmounts: amounts, maxAvailable: amounts, maxFuture: [0], withinMs, who };
};

const LEDGER = { expected: 0, holdsMs: 5_000 };

describe.runIf(hasServer)('the bucket script', () => {
  const seen: Record<string, number> = {};
  const note = (what: string): void => {
    seen[what] = (seen[what] ?? 0) + 1;
  };

  const modes = ['lease', 'refund', 'spend', 'pause', 'unpause', 'resume', 'peek'] as const;
  const one = (refillPerSecond: number, capacity: number): Quota => ({ refillPerSecond, capacity });
  const traces: [seed: number, ...callers: Limits[]][] = [
    [1, one(20_000, 5)],
    [2, one(7_000.7, 2.5)],
    [3, one(1e6, 300)],
    [4, one(300_000, 20), one(200_000, 30)],
    [5, one(33.3, 1)],
    [6, one(1 / 3, 2.5)],
    [7, { requests: one(1_000, 20), in: one(20_000, 90), out: one(50, 5) }],
    [8, { requests: one(7.5, 100), out: one(3_000, 1) }, { out: one(3_000, 2), 'a unit': one(500, 9) }],
  ];

  test.each(traces)(
    'replies as its model in TypeScript, call by call (trace %i: %j)',
    async (seed, ...limits) => {
      const random = seededRandom(seed);
      const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
      const key = newKey();
      const callers = Array.from(
        { length: 6 },
        (_, at) => new Process(key, limits[at % limits.length] as Limits),
      );
      const marks: LeaseMark[][] = callers.map(() => []);
      const shares = callers.map(() => 0);
      const olds: ModelState[] = [];
      let kept: string | undefined;
      let atUs = 0;
      for (let step = 0; step < 2_500; step += 1) {
        const at = between(0, callers.length);
        const caller = callers[at] as Process;
        const cost = caller.limits.map(({ capacity }) => Math.max(1e-3, random() ** 3 * capacity));
        // A request may cost nothing of a unit.
        const free = cost.length > 1 && random() < 0.3 ? between(0, cost.length) : -1;
        const amounts = micro(cost.map((each, unit) => (unit === free ? 0 : each)));
        const times = (factor: number): number[] => amounts.map((each) => each * factor);
        const own = marks[at] as LeaseMark[];
        const leases = own
          .splice(0, random() < 0.3 ? between(0, 3) : 0)
          .map((mark) => ({ amounts: times(1), mark }));
        const mode = random() < 0.3 ? 'lease' : modes[between(0, modes.length)];
        const rare = mode === 'spend' || mode === 'pause' || mode === 'resume';
        // With many pauses and charges there would never be a token.
        if (mode === undefined || (rare && random() < 0.8)) continue;
        const durationMs = between(0, 5_000) / 1_000;
        const calls: Record<(typeof modes)[number], StoreCall> = {
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
        const call = calls[mode];
        if (leases.length > 1 && (mode === 'lease' || mode === 'refund'))
          note(`${mode} that settles two leases`);
        if (random() < 0.3) {
          const holdsMs = random() < 0.1 ? 0 : between(1, 100);
          const expected = random() < 0.3 ? between(1, 8) : 0;
          const held = random() < 0.9 ? (shares[at] as number) : 0;
          call.who = { name: `process${at}`, held, holdsMs, expected };
          note(holdsMs === 0 ? 'a process leaves' : 'a process is counted');
        }
        const forgotten = random();
        if (forgotten < 0.01) {
          await store.client.del(key);
          kept = undefined;
          note('key lost');
        } else if (forgotten < 0.02 && olds.length > 0) {
          const old = olds[between(0, olds.length)] as ModelState;
          kept = JSON.stringify(old);
          await store.client.set(key, packed(old));
          note('old state restored');
        } else if (forgotten < 0.03 && kept !== undefined) {
          // As if the server's clock had been set: back if the state is later than it was, ahead if it is earlier.
          const byUs = (random() < 0.5 ? 1 : -1) * between(0, 5) * 1e6;
          const state = JSON.parse(kept) as ModelState;
          state.shift -= byUs;
          kept = JSON.stringify(state);
          await store.client.set(key, packed(state));
          note(byUs > 0 ? 'clock set back' : 'clock set ahead');
        }
        const untilUs = random() < 0.7 ? 0 : atUs + between(-1_000, 5_000);
        const proposedUs = random() < 0.95 ? 0 : atUs + between(0, 3_000);
        const args = caller.args(call, untilUs, proposedUs);
        const reply = await run(key, args);
        // While a small step back is waited out, the time of the state is as good as the server's.
        const [, now = 0, shift = 0] = reply.map(Number);
        const wanted = model(kept, args, now - shift);
        expect(reply.map(Number), `step ${step}: ${args.join(' | ')}`).toEqual(wanted.reply.map(Number));
        kept = wanted.text;
        const value = await store.client.getBuffer(key);
        expect(value && unpacked(value)).toEqual(kept === undefined ? null : JSON.parse(kept));
        const told = caller.learn(call, reply);
        if (told.share !== undefined) shares[at] = told.share;
        if (told.epoch > 0) own.push(markOf(told));
        if (kept !== undefined && random() < 0.05) olds.push(JSON.parse(kept) as ModelState);
        atUs = told.atUs;
        note(told.tooLate ? `${mode} too late` : told.waitMs > 0 ? `${mode} denied` : mode);
        if (told.limits !== undefined) note('limits told');
      }
    },
  );

  test('and the traces contain enough calls of each kind', () => {
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(15);
    expect(Object.keys(seen).sort()).toEqual(
      [
        ...['a process is counted', 'a process leaves', 'clock set ahead', 'clock set back', 'key lost'],
        ...['lease denied', 'limits told', 'old state restored'],
        ...['lease that settles two leases', 'refund that settles two leases'],
        ...modes.flatMap((mode) => [mode, `${mode} too late`]),
      ].sort(),
    );
  });

  test('has the SHA-1 that the server computes', async () => {
    expect(await store.client.script('LOAD', SCRIPT)).toBe(SCRIPT_SHA1);
  });

  test('lets the key expire once the bucket is full and every share has expired', async () => {
    const key = newKey();
    const caller = new Process(key, one(1_000, 10));
    await caller.call(leaseOf(5));
    // 5 tokens at 1,000/s are back in 5 ms. A second is added because the clocks of a store and its replicas differ.
    expect(await store.client.pttl(key)).toBeGreaterThan(900);
    expect(await store.client.pttl(key)).toBeLessThanOrEqual(1_011);
    await caller.call(leaseOf(5, 0, { name: 'process1', held: 0, ...LEDGER }));
    expect(await store.client.pttl(key)).toBeGreaterThan(5_900);
    await caller.call({ mode: 'pause', durationMs: 200_000 });
    expect(await store.client.pttl(key)).toBeGreaterThan(200_000);
  });

  test('a process may leave a bucket that has been full for a while', async () => {
    const key = newKey();
    const caller = new Process(key, one(1_000, 1));
    const who = { name: 'process1', held: 0, ...LEDGER };
    await caller.call(leaseOf(1, 0, who));
    const state = unpacked((await store.client.getBuffer(key)) as Buffer);
    for (const unit of state.units) unit.empty -= 5e6;
    await store.client.set(key, packed(state), 'PX', 10_000);
    const { share } = await caller.call({ mode: 'peek', who: { ...who, holdsMs: 0 } });
    expect(share).toBe(0);
  });

  test('a call on a key that has expired says that there is none, and the caller keeps what it knows', async () => {
    const key = newKey();
    const caller = new Process(key, one(1, 100));
    await caller.call(leaseOf(40));
    await store.client.del(key);
    const other = new Process(key, one(1, 100));
    expect(await other.call({ mode: 'peek' })).toMatchObject({ epoch: 0 });
    expect(other.known.args).toEqual(['0', '0', '0', '']);
    const before = caller.known.args[1];
    const late = caller.args({ mode: 'peek' }, 1);
    caller.learn({ mode: 'peek' }, await run(key, late));
    expect(caller.known.args[1]).toBe(before);
  });

  test.each<[name: string, value: string | Buffer, message: string]>([
    ['a text', 'a text', 'does not hold a bucket'],
    ['a number', '1', 'does not hold a bucket'],
    ['the state of a newer version', Buffer.from([235, 2, 9]), 'was written by a newer version: update'],
    ['another type of value', '', 'WRONGTYPE'],
  ])('rejects a key with %s', async (_, value, message) => {
    const key = newKey();
    if (value === '') await store.client.lpush(key, 'an entry');
    else await store.client.set(key, value);
    await store.client.pexpire(key, 10_000);
    await expect(new Process(key, one(1, 1)).call(leaseOf(1))).rejects.toThrow(message);
  });
});
