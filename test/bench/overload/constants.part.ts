import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { throttle } from '@ebb/core';
import { HEALTHY, healthySums } from '../../overload/healthy.ts';
import { OTHER_WORLDS } from '../../overload/other-worlds.ts';
import { type Make, type Numbers, WORLDS } from '../../overload/worlds.ts';
import type { Part } from '../measure/part.ts';
import { column } from './columns.ts';

const FOLDER = join(import.meta.dirname, '../../../packages/core/src/parts/throttle');

const PAUSE = 'a pause, then the storm, 12 clients';
const SHARDS = 'nine shards of ten, 2,500 clients';
const NEAR = 'half an hour near the limit, a client alone';
const CALM = 'healthy for half an hour, a client alone';

/** What is put in the place of a constant, or of a step of the rule, and a world that is measured for that and for the rule alone. */
const VARIANTS: Readonly<Record<string, readonly [from: string, to: string, world?: string]>> = {
  'the rule': ['', ''],
  'bad from the 5th in a row on (3rd)': ['BAD_IN_A_ROW = 3', 'BAD_IN_A_ROW = 5'],
  'cut to 0.1 in a second (0.3)': ['CUT_PER_SECOND = 0.3', 'CUT_PER_SECOND = 0.1'],
  'opens in 1 s (4 s)': ['OPENS_IN_MS = 4_000', 'OPENS_IN_MS = 1_000'],
  'forgets in 15 s (45 s)': ['FORGETS_IN_MS = 45_000', 'FORGETS_IN_MS = 15_000'],
  'an answer pays nothing (0.2)': ['PAYS = 0.2', 'PAYS = 0', NEAR],
  'an answer pays as a retry does (0.2)': ['PAYS = 0.2', 'PAYS = 1'],
  'slowness does not count': ['tookMs > this.#usualMs', 'false && tookMs > this.#usualMs'],
  'slow from 3 times the usual on (2)': ['SLOW = 2', 'SLOW = 3'],
  'as slow at first as later (10 / answers more)': ['SLOW_AT_FIRST = 10', 'SLOW_AT_FIRST = 0'],
  'usual is the first answer alone (20)': ['FIRST = 20', 'FIRST = 1'],
  'slow first answers count in full (half more)': ['RAISES_AT_FIRST = 1.5', 'RAISES_AT_FIRST = 1e9'],
  'remembers 10 s (60 s)': ['REMEMBERS_MS = 60_000', 'REMEMBERS_MS = 10_000'],
  'steps of any size (a tenth)': ['LARGEST_STEP = 0.1', 'LARGEST_STEP = 1e9', PAUSE],
  'usual is what half of the answers stay below (95 %)': ['QUANTILE = 0.95', 'QUANTILE = 0.5', CALM],
  'slow answers count in full (a tenth)': ['SLOW_COUNTS = 0.1', 'SLOW_COUNTS = 1'],
  'at the floor a tenth as well (10 times)': [
    'SLOW_COUNTS_AT_FLOOR = 10',
    'SLOW_COUNTS_AT_FLOOR = SLOW_COUNTS',
  ],
  'times from 1 ms on (20 ms)': ['SHORTEST_MS = 20', 'SHORTEST_MS = 1'],
  'a retry that fails counts': ['if (isRetry) return;', '', SHARDS],
  'a die for each chance': [
    'this.#due += this.share;\n    if (this.#due < 1 - ROUNDING) return false;\n    this.#due -= 1;\n    return true;',
    'return random() < this.share;',
  ],
};

/** Half an hour at half of the capacity: what is usual has found its place by then. */
async function healthyLong(policy: Make): Promise<Numbers> {
  const runs = HEALTHY.filter(
    ({ load, errors, workers, seed }) => load === 0.5 && errors === 0 && workers === 2 && seed === 1,
  );
  const { asked, skipped, refused } = await healthySums(runs, 1, 1_800_000, policy);
  return { skipped: (100 * skipped) / asked, refused };
}

const ALL: typeof WORLDS = {
  ...WORLDS,
  ...OTHER_WORLDS,
  [CALM]: healthyLong,
};

/** What is shown of a world: a number by its name there. */
const SHOWN: readonly (readonly [title: string, world: string, number: string, digits: number])[] = [
  ['storm, 12 clients: answered, %', 'storm, 12 clients', 'overall', 1],
  ['storm, 2,500', 'storm, 2,500 clients', 'overall', 1],
  ['silence, 2,500: minute after', '5 s of silence, 2,500 clients', 'after', 0],
  ['a deploy, alone: mean', 'a deploy of 30 s, a client alone', 'overall', 0],
  ['worst', 'a deploy of 30 s, a client alone', 'worst', 0],
  ['slow by nature, 2,000: skipped, %', 'slow by nature, 2,000 clients', 'skipped', 2],
  ['refused', 'slow by nature, 2,000 clients', 'refused', 0],
  ['storm after an hour of pause, 12: answered, %', PAUSE, 'overall', 1],
  ['nine shards, 2,500', SHARDS, 'overall', 1],
  ['half an hour near the limit, alone', NEAR, 'overall', 0],
  ['half an hour at half load, alone: skipped, %', CALM, 'skipped', 2],
];

/** The worlds that are not for all variants. */
const ONLY = [PAUSE, SHARDS, NEAR, CALM];

/** The source of the rule with one of its constants changed. */
async function ruleOf(variant: string): Promise<new (numbers: object) => object> {
  const [from, to] = VARIANTS[variant] as readonly [string, string, string?];
  const source = readFileSync(join(FOLDER, 'rule.ts'), 'utf8');
  if (!source.includes(from)) throw new Error(`the rule has no ${from}`);
  const folder = mkdtempSync(join(FOLDER, '../variant-'));
  try {
    writeFileSync(join(folder, 'rule.ts'), source.replace(from, to));
    return ((await import(join(folder, 'rule.ts'))) as Record<string, never>).ThrottleRule as never;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export default {
  title: 'What each constant is there for',
  note: 'The rule with one of its constants changed, or one of its steps left out; what it is in parentheses. A dash: not measured.',
  columns: SHOWN.map(([title, world, number, digits]) => column(title, `${world}: ${number}`, digits)),
  ranked: false,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return Object.keys(VARIANTS).map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const Rule = await ruleOf(name);
    const policy = () => ({
      attemptTimeoutMs: 1_000,
      throttle: Object.assign(throttle(), { rule: new Rule({ floor: 0.02, credit: 2.5, reserve: 3 }) }),
    });
    const [, , own] = VARIANTS[name] ?? [];
    const worlds = new Set(SHOWN.map(([, world]) => world));
    const sample: Record<string, number> = {};
    for (const world of worlds) {
      if (ONLY.includes(world) && world !== own && name !== 'the rule') continue;
      const numbers = (await ALL[world]?.(policy)) ?? {};
      for (const [number, value] of Object.entries(numbers)) sample[`${world}: ${number}`] = value;
    }
    return sample;
  },
} satisfies Part;
