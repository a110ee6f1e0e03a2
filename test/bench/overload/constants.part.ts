import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { throttle } from '@ebb/core';
import { HEALTHY, healthySums } from '../../overload/healthy.ts';
import { OTHER_WORLDS } from '../../overload/other-worlds.ts';
import { type Make, type Numbers, WORLDS } from '../../overload/worlds.ts';
import type { Part } from '../measure/part.ts';
import { COLUMNS } from './columns.ts';

const FOLDER = join(import.meta.dirname, '../../../packages/core/src/parts/throttle');

/** What is put in the place of a constant, or of a step of the rule. */
const VARIANTS: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'the rule': ['', ''],
  '2nd in a row': ['BAD_IN_A_ROW = 3', 'BAD_IN_A_ROW = 2'],
  '5th in a row': ['BAD_IN_A_ROW = 3', 'BAD_IN_A_ROW = 5'],
  'cut to 0.1 in a second': ['CUT_PER_SECOND = 0.3', 'CUT_PER_SECOND = 0.1'],
  'cut to 0.5 in a second': ['CUT_PER_SECOND = 0.3', 'CUT_PER_SECOND = 0.5'],
  'opens in 1 s': ['OPENS_IN_MS = 4_000', 'OPENS_IN_MS = 1_000'],
  'opens in 10 s': ['OPENS_IN_MS = 4_000', 'OPENS_IN_MS = 10_000'],
  'forgets in 15 s': ['FORGETS_IN_MS = 45_000', 'FORGETS_IN_MS = 15_000'],
  'forgets never': ['FORGETS_IN_MS = 45_000', 'FORGETS_IN_MS = 1e12'],
  'a first answer pays a twentieth': ['PAYS = 0.2', 'PAYS = 0.05'],
  'a first answer pays nothing': ['PAYS = 0.2', 'PAYS = 0'],
  'a first answer pays as a retry': ['PAYS = 0.2', 'PAYS = 1'],
  'slowness does not count': ['tookMs > this.#usualMs', 'false && tookMs > this.#usualMs'],
  'slow from 1.5 times the usual on': ['SLOW = 2', 'SLOW = 1.5'],
  'slow from 3 times the usual on': ['SLOW = 2', 'SLOW = 3'],
  'as slow at first as later': ['SLOW_AT_FIRST = 10', 'SLOW_AT_FIRST = 0'],
  'the first answer alone': ['FIRST = 20', 'FIRST = 1'],
  'slow first answers count in full': ['RAISES_AT_FIRST = 1.5', 'RAISES_AT_FIRST = 1e9'],
  'remembers 10 s': ['REMEMBERS_MS = 60_000', 'REMEMBERS_MS = 10_000'],
  'steps of any size': ['LARGEST_STEP = 0.1', 'LARGEST_STEP = 1e9'],
  'what half of them stay below': ['QUANTILE = 0.95', 'QUANTILE = 0.5'],
  'what 80 % stay below': ['QUANTILE = 0.95', 'QUANTILE = 0.8'],
  'what 99 % stay below': ['QUANTILE = 0.95', 'QUANTILE = 0.99'],
  'slow answers count in full': ['SLOW_COUNTS = 0.1', 'SLOW_COUNTS = 1'],
  'at the floor as well': ['SLOW_COUNTS_AT_FLOOR = 10', 'SLOW_COUNTS_AT_FLOOR = SLOW_COUNTS'],
  'from 1 ms on': ['SHORTEST_MS = 20', 'SHORTEST_MS = 1'],
  'a retry that fails counts': ['if (isRetry) return;', ''],
  'a die for each chance': [
    'this.#due += this.share;\n    if (this.#due < 1 - ROUNDING) return false;\n    this.#due -= 1;\n    return true;',
    'return random() < this.share;',
  ],
};

/** The healthy runs with a client. */
async function healthy(policy: Make): Promise<Numbers> {
  const { asked, skipped, refused } = await healthySums(HEALTHY, 1, undefined, policy);
  return { skipped: (100 * skipped) / asked, refused };
}

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
  'healthy runs, a client alone': healthy,
  'healthy for half an hour, a client alone': healthyLong,
};

/** The worlds that tell most. */
const SHOWN = [
  'storm, 12 clients',
  'storm, 2,500 clients',
  '5 s of silence, 2,500 clients',
  'nine shards of ten, 2,500 clients',
  'a deploy of 30 s, a client alone',
  'slow by nature, 2,000 clients',
  'a pause, then the storm, 12 clients',
  'latency grows with the load, 12 clients',
  'latency grows with the load, 2,500 clients',
  'the load doubles, the fleet 30 s later, 12 clients',
  'the load doubles, the fleet 30 s later, 2,500 clients',
  'half of the servers come late, 12 clients',
  'healthy runs, a client alone',
  'healthy for half an hour, a client alone',
  'half an hour near the limit, a client alone',
];

/** The source of the rule with one of its constants changed. */
async function ruleOf(variant: string): Promise<new (numbers: object) => object> {
  const [from, to] = VARIANTS[variant] as readonly [string, string];
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
  note: 'The rule with one of its constants changed, or one of its steps left out.',
  columns: COLUMNS,
  ranked: false,
  rounds: 1,
  async rows() {
    return SHOWN.flatMap((group) => Object.keys(VARIANTS).map((name) => ({ group, name })));
  },
  async measure({ group, name }) {
    const Rule = await ruleOf(name);
    const policy = () => ({
      attemptTimeoutMs: 1_000,
      throttle: Object.assign(throttle(), { rule: new Rule({ floor: 0.02, credit: 2.5, reserve: 3 }) }),
    });
    return (await ALL[group]?.(policy)) ?? {};
  },
} satisfies Part;
