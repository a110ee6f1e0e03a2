import { seededRandom } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import { budgetModel } from '../test/budget-model.ts';
import { hasServer } from '../test/server.ts';
import { useStore } from '../test/store.ts';
import { BUDGET_SCRIPT, BUDGET_SCRIPT_SHA1 } from './budget-script.ts';

const store = useStore();
const newKey = (): string => `${store.newKey()}:budget`;

interface Call {
  readonly ratio?: number;
  readonly reserve?: number;
  readonly slotUs?: number;
  readonly until?: number;
  readonly called?: number;
  readonly deposits?: number;
  readonly returned?: number;
  readonly wanted?: number;
}

function argumentsOf({
  ratio = 0.2,
  reserve = 3,
  slotUs = 1e6,
  until = 0,
  called = 0,
  ...rest
}: Call): string[] {
  const { deposits = 0, returned = 0, wanted = 0 } = rest;
  const terms = [Math.floor(ratio * 1e6), Math.floor(reserve * 1e6), slotUs];
  return [...terms, until, called, deposits, returned, wanted].map(String);
}

type Reply = [granted: number, balance: number, processes: number, late: number, nowUs: number, free: number];

const run = async (key: string, args: readonly string[]): Promise<Reply> =>
  (await store.client.eval(BUDGET_SCRIPT, 1, key, ...args)) as Reply;

/** The state with its times moved back by `byUs`. */
function aged(text: string, byUs: number): string {
  return text
    .split(' ')
    .map((number, place) => (place === 1 || place === 2 ? Number(number) - byUs : number))
    .join(' ');
}

describe.runIf(hasServer)('the budget script', () => {
  const TRACES = [
    [1, 0.2, 10, 1e6],
    [2, 0.1, 3.5, 200],
    [3, 1.5, 0, 1_000],
    [4, 1 / 3, 1_000, 5_000],
    [5, 0, 20, 100],
  ] as const;

  test('replies as its model in TypeScript, call by call, to enough calls of each kind', async () => {
    const seen: Record<string, number> = {};
    const note = (what: string): void => {
      seen[what] = (seen[what] ?? 0) + 1;
    };
    for (const [seed, ratio, reserve, slotUs] of TRACES) {
      const random = seededRandom(seed);
      const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
      const key = newKey();
      let kept: string | undefined;
      let nowUs = 0;
      for (let step = 0; step < 500; step += 1) {
        const chance = random();
        if (chance < 0.02) {
          await store.client.del(key);
          kept = undefined;
          note('key lost');
        } else if (chance < 0.3 && kept !== undefined) {
          // No process has called for some slots, or the server's clock was set back.
          const slots =
            chance < 0.03
              ? between(1, 3 * 3.6e9) / slotUs
              : chance < 0.04
                ? between(60, 200)
                : chance < 0.08
                  ? -between(1, 40)
                  : between(0, 14);
          kept = aged(kept, Math.floor(slots * slotUs));
          await store.client.set(key, kept);
          note(slots >= 60 ? 'rest' : slots < 0 ? 'clock set back' : 'time passes');
        }
        const args = argumentsOf({
          ratio,
          reserve,
          slotUs: random() < 0.01 ? slotUs * 2 : slotUs,
          until: random() < 0.1 ? nowUs + between(-2_000, 20_000) : 0,
          called: random() < 0.5 ? nowUs : 0,
          deposits: random() < 0.5 ? between(0, 30) : 0,
          returned: random() < 0.2 ? between(0, 5) : 0,
          wanted: between(0, 8),
        });
        const reply = await run(key, args);
        [, , , , nowUs] = reply;
        const after = (await store.client.get(key)) ?? undefined;
        const [granted, balance, processes, late, , free] = reply;
        const wanted = budgetModel(kept, args, nowUs);
        expect(reply, `trace ${seed}, step ${step}: ${args}`).toEqual(wanted.reply);
        expect([granted, balance, processes, late, free]).not.toContain(undefined);
        expect(after, `trace ${seed}, step ${step}: ${args}`).toBe(wanted.text);
        kept = after;
        note(late > 0 ? 'too late' : granted > 0 ? 'granted' : 'denied');
      }
    }
    const names = ['clock set back', 'denied', 'granted', 'key lost', 'rest', 'time passes', 'too late'];
    expect(Object.keys(seen).sort()).toEqual(names);
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(15);
  });

  test('has the SHA-1 that the server computes', async () => {
    expect(await store.client.script('LOAD', BUDGET_SCRIPT)).toBe(BUDGET_SCRIPT_SHA1);
  });

  test('lets a key expire that no process has used for a day', async () => {
    const key = newKey();
    await run(key, argumentsOf({ deposits: 1 }));
    expect(await store.client.pttl(key)).toBeGreaterThan(86_000_000);
  });

  test('rejects a key with another type of value', async () => {
    const key = newKey();
    await store.client.set(key, 'a text', 'PX', 10_000);
    await expect(run(key, argumentsOf({ deposits: 1 }))).rejects.toThrow('does not hold a budget');
  });
});
