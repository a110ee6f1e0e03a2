import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { model, type ScriptReply } from '../test/model.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import { SCRIPT, SCRIPT_SHA1 } from './script.ts';

const store = useStore();
const { newKey } = store;

type OneOrMore = number | readonly number[];

interface Call {
  readonly mode: 'lease' | 'refund' | 'spend' | 'pause' | 'unpause' | 'resume' | 'peek';
  readonly rate?: OneOrMore;
  readonly capacity?: OneOrMore;
  readonly known?: string;
  readonly until?: number;
  readonly called?: number;
  readonly amount?: OneOrMore;
  readonly most?: OneOrMore;
  readonly held?: string;
  readonly soon?: OneOrMore;
  /** In microseconds. */
  readonly within?: number;
}

/** The call is in tokens, the arguments are in millionths. Lists have a number for each unit. */
function argumentsOf({ mode, rate = 1_000, capacity = 10, amount = 0, ...rest }: Call): string[] {
  const { known = '', until = 0, called = 0, most = amount, held = '', soon = 0, within = 0 } = rest;
  const micro = mode === 'pause' || mode === 'resume' ? 1 : 1e6;
  const list = (amount: OneOrMore, times: number): string =>
    [amount]
      .flat()
      .map((each) => Math.ceil(each * times))
      .join(' ');
  const rates = [rate].flat().join(' ');
  const amounts = [amount, most].map((of) => list(of, micro));
  const room = list(capacity, 1e6);
  return [mode, rates, room, known, until, called, ...amounts, held, list(soon, 1e6), within].map(String);
}

const run = async (key: string, args: readonly string[]): Promise<ScriptReply> =>
  (await store.client.eval(SCRIPT, 1, key, ...args)) as ScriptReply;

const call = (key: string, of: Call): Promise<ScriptReply> => run(key, argumentsOf(of));

/** The numbers of a state that are times, for three units. */
const MOMENTS = [0, 2, 3, 5, 6, 10, 12, 14, 16];

/** Whether any number of a list is above 0. */
const isSome = (list: string): boolean => list.split(' ').some((number) => Number(number) > 0);

describe.runIf(hasServer)('the bucket script', () => {
  const seen: Record<string, number> = {};
  const note = (what: string): void => {
    seen[what] = (seen[what] ?? 0) + 1;
  };

  test.each<[seed: number, rate: OneOrMore, capacity: OneOrMore]>([
    [1, 20_000, 5],
    [2, 7_000.7, 2.5],
    [3, 1e6, 300],
    [4, 300_000, 20],
    [5, 33.3, 1],
    [6, 1 / 3, 2.5],
    [7, [1_000, 20_000, 50], [20, 90, 5]],
    [8, [7.5, 3_000], [100, 1]],
  ])(
    'replies as its model in TypeScript, call by call (trace %i: %j/s, capacity %j)',
    async (seed, rate, capacity) => {
      const random = seededRandom(seed);
      const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
      const key = newKey();
      const states: string[] = [''];
      let kept: string | undefined;
      for (let step = 0; step < 2_000; step += 1) {
        const [last = ''] = states.slice(-1);
        const some = states[between(Math.max(0, states.length - 20), states.length)] ?? '';
        const cost = [capacity].flat().map((each) => Math.max(1e-3, random() ** 3 * each));
        // A request may cost nothing of a unit.
        const isFree = cost.length > 1 && random() < 0.3 ? between(0, cost.length) : -1;
        const amount = cost.map((each, unit) => (unit === isFree ? 0 : each));
        const times = (factor: number): number[] => amount.map((each) => each * factor);
        const mode = (
          [
            'lease',
            'lease',
            'lease',
            'refund',
            'refund',
            'spend',
            'pause',
            'unpause',
            'resume',
            'peek',
          ] as const
        )[between(0, 10)];
        if (mode === undefined) continue;
        // With many pauses and charges there would never be a token.
        const other = states[between(Math.max(0, states.length - 20), states.length)] ?? '';
        const isOfTwo = mode === 'refund' && some !== '' && other !== '' && random() < 0.3;
        const rare = mode === 'spend' || mode === 'pause' || mode === 'resume';
        if (rare && random() < 0.8) continue;
        const at = Number(last.split(' ')[3] ?? 0);
        // A tenth of a second, or no bound.
        const debt = random() < 0.5 ? '100000' : '';
        const args = argumentsOf({
          mode,
          rate,
          capacity,
          known: random() < 0.7 ? some : '',
          // `resume` is rare, so more of its calls come too late: the test below expects enough of each kind.
          until: random() < 0.7 ? 0 : at + between(mode === 'resume' ? -5_000 : -1_000, 5_000),
          called: random() < 0.5 ? at : 0,
          amount: mode === 'pause' || mode === 'resume' ? between(0, 5_000) : amount,
          most: mode === 'resume' ? between(0, 2_000) : times(between(1, 5)),
          held: mode === 'refund' ? some : '',
          soon: times(random() < 0.3 ? between(0, 3) : 0),
          within: random() < 0.3 ? between(-1, 3_000) : 0,
        });
        if (isOfTwo) {
          args[6] += `,${cost.map((each) => Math.ceil(each * 1e6)).join(' ')}`;
          args[8] += `,${other}`;
          note('refund of two leases');
        }
        if (mode === 'lease' && some !== '' && random() < 0.3) {
          args[8] = some;
          args.push(args[6] ?? '', random() < 0.2 ? (args[6] ?? '') : '', debt);
          note('lease that settles');
        }
        if (mode === 'spend') args.push(debt);
        const forgotten = random();
        if (forgotten < 0.01) {
          await store.client.del(key);
          kept = undefined;
          note('key lost');
        } else if (forgotten < 0.02 && some !== '') {
          await store.client.set(key, some);
          kept = some;
          note('old state restored');
        } else if (forgotten < 0.025 && last !== '') {
          // The state of a server whose clock has been set back by an hour since.
          const numbers = last
            .split(' ')
            .map((text, place) => Number(text) + (MOMENTS.includes(place) ? 3.6e9 : 0));
          kept = numbers.join(' ');
          await store.client.set(key, kept);
          note('clock set back');
        }
        const reply = await run(key, args);
        expect(reply, `step ${step}: ${args}`).toEqual(model(kept, args, reply[4]));
        kept = reply[7] === '' ? undefined : reply[7];
        expect(await store.client.get(key)).toBe(kept ?? null);
        if (kept !== undefined && kept !== last) states.push(kept);
        note(isSome(reply[0]) ? mode : reply[1] > 0 ? `${mode} denied` : `${mode} without tokens`);
        if (mode === 'lease' && isSome(reply[0]) && isSome(reply[2])) note('lease of future tokens');
      }
    },
  );

  test('and the traces contain enough calls of each kind', () => {
    expect(Object.keys(seen).sort()).toEqual([
      'clock set back',
      'key lost',
      'lease',
      'lease denied',
      'lease of future tokens',
      'lease that settles',
      'lease without tokens',
      'old state restored',
      'pause without tokens',
      'peek without tokens',
      'refund',
      'refund of two leases',
      'refund without tokens',
      'resume',
      'resume without tokens',
      'spend',
      'unpause',
      'unpause without tokens',
    ]);
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(15);
  });

  test('has the SHA-1 that the server computes', async () => {
    expect(await store.client.script('LOAD', SCRIPT)).toBe(SCRIPT_SHA1);
  });

  test('lets the key expire once the bucket is full and no process of two minutes counts', async () => {
    const key = newKey();
    const [, , , , now, , , state] = await call(key, { mode: 'lease', amount: 5 });
    // 10 tokens at 1,000/s are full in 5 ms, but processes are counted for two periods of a minute. A second is added
    // because the clocks of a store and its replicas differ.
    expect(await store.client.pttl(key)).toBeGreaterThan(120_900);
    expect(await store.client.pttl(key)).toBeLessThanOrEqual(121_000);
    await call(key, { mode: 'pause', amount: 200_000_000 });
    expect(await store.client.pttl(key)).toBeGreaterThan(200_000);
    await store.client.set(key, state, 'PX', 1);
    await expect.poll(() => store.client.exists(key)).toBe(0);
    const whole: Call = { mode: 'lease', amount: 10, known: state };
    await expect.poll(async () => (await call(key, whole))[0]).toBe('10000000');
    expect((await call(key, whole))[4]).toBeGreaterThan(now);
  });

  test('grants nothing twice after a loss, apart from what no process knows', async () => {
    const key = newKey();
    const common = { rate: 1, capacity: 100 };
    const [, , , , , , , one] = await call(key, { mode: 'lease', ...common, amount: 40 });
    const [, , , , , , , other] = await call(key, { mode: 'lease', ...common, amount: 50 });
    await store.client.del(key);
    // The first process knows of its 40 only, the other of all 90.
    const [first] = await call(key, { mode: 'lease', ...common, amount: 10, known: one });
    expect(first).toBe('10000000');
    const [second, waitUs] = await call(key, { mode: 'lease', ...common, amount: 5, known: other });
    expect(second).toBe('0');
    expect(waitUs / 1e6).toBeGreaterThan(4);
    expect(waitUs / 1e6).toBeLessThanOrEqual(5);
  });

  test('refunds several leases as one after the other, in one call', async () => {
    const common = { rate: 1, capacity: 100 };
    const keys = [newKey(), newKey()];
    const back: number[] = [];
    for (const [way, key] of keys.entries()) {
      const held: string[] = [];
      for (const amount of [30, 20]) held.push((await call(key, { mode: 'lease', ...common, amount }))[7]);
      const args = argumentsOf({ mode: 'refund', ...common, amount: 25, held: held[0] ?? '' });
      const more = argumentsOf({ mode: 'refund', ...common, amount: 15, held: held[1] ?? '' });
      if (way === 0) {
        back[way] = Number((await run(key, args))[0]) + Number((await run(key, more))[0]);
      } else {
        args[6] += `,${more[6]}`;
        args[8] += `,${more[8]}`;
        back[way] = Number((await run(key, args))[0]);
      }
    }
    expect(back[0]).toBeCloseTo(40e6, -6);
    expect(back[1]).toBeCloseTo(back[0] as number, -5);
  });

  test('refunds no lease twice, and none from before a loss', async () => {
    const key = newKey();
    const common = { rate: 1, capacity: 100 };
    const [, , , , , , , held] = await call(key, { mode: 'lease', ...common, amount: 40 });
    const [back] = await call(key, { mode: 'refund', ...common, amount: 40, held });
    expect(Number(back)).toBeGreaterThan(39e6);
    const [again] = await call(key, { mode: 'refund', ...common, amount: 40, held });
    expect(again).toBe('0');
    const [, , , , , , , next] = await call(key, { mode: 'lease', ...common, amount: 40 });
    await store.client.del(key);
    await call(key, { mode: 'lease', ...common, amount: 40, known: next });
    const [lost] = await call(key, { mode: 'refund', ...common, amount: 40, held: next });
    expect(lost).toBe('0');
  });

  test('counts the processes that leased tokens lately', async () => {
    const key = newKey();
    let processes = 0;
    for (let process = 0; process < 5; process += 1) {
      const first = await call(key, { mode: 'lease', rate: 64, capacity: 64, amount: 1 });
      const second = await call(key, { mode: 'lease', rate: 64, capacity: 64, amount: 1, called: first[4] });
      processes = second[5];
    }
    // If a period ended in between, only the processes after that are counted.
    expect(processes).toBeGreaterThanOrEqual(3);
    expect(processes).toBeLessThanOrEqual(5);
  });

  test('rejects a key with another type of value', async () => {
    const [text, list] = [newKey(), newKey()];
    await store.client.set(text, 'a text', 'PX', 10_000);
    await store.client.lpush(list, 'an entry');
    await store.client.pexpire(list, 10_000);
    await expect(call(text, { mode: 'lease', amount: 1 })).rejects.toThrow('does not hold a bucket');
    await expect(call(list, { mode: 'lease', amount: 1 })).rejects.toThrow('WRONGTYPE');
  });
});
