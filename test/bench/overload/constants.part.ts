import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Part } from '../measure/part.ts';
import { column } from './columns.ts';

/** What is put in the place of a constant, or of a step of the rule. */
const VARIANTS: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'the rule': ['', ''],
  'floor 0.1 (0.3)': ['FLOOR = 0.3', 'FLOOR = 0.1'],
  'from the 5th failure in a row on (3rd)': ['IN_A_ROW = 3', 'IN_A_ROW = 5'],
  'cut to 0.3 in a second (0.7)': ['CUT_PER_SECOND = 0.7', 'CUT_PER_SECOND = 0.3'],
  'opens in 4 s (2 s)': ['OPENS_IN_MS = 2_000', 'OPENS_IN_MS = 4_000'],
  'calm at 1: nothing pays for what was put off (3)': ['CALM = 3', 'CALM = 1'],
  'above 1 as quick as below (5 times as slow)': ['SLOWER_ABOVE_ONE = 5', 'SLOWER_ABOVE_ONE = 1'],
  'late answers raise the level as others do': ['const LATE = 2', 'const LATE = 0'],
  'new requests pay in full after late answers': ['this.level * (1 - this.#lateness)', 'this.level'],
  'late answers pay in full for what was put off': [
    'this.#level - 1) * (1 - this.#lateness)',
    'this.#level - 1)',
  ],
  'forgets in 90 s (45 s)': ['FORGETS_MS = 45_000', 'FORGETS_MS = 90_000'],
  'a retry balance of 10 (2)': ['MAX_BALANCE = 2', 'MAX_BALANCE = 10'],
  'answers pay nothing while all is calm (0.02)': ['CALM_DEPOSIT = 0.02', 'CALM_DEPOSIT = 0'],
  'a retry after a timeout costs 1 (2)': ['AFTER_TIMEOUT_COSTS = 2', 'AFTER_TIMEOUT_COSTS = 1'],
  'a reserve of 1 for each request (2.5)': ['RESERVE_PER_REQUEST = 2.5', 'RESERVE_PER_REQUEST = 1'],
  'a reserve of 3 at least (1)': ['MIN_RESERVE = 1', 'MIN_RESERVE = 3'],
  'the answer to a first attempt pays back 1 (0.2)': ['ANSWER_DEPOSIT = 0.2', 'ANSWER_DEPOSIT = 1'],
  'retries that fail teach nothing': ['if (failed) {', 'if (failed) {\n      if (isRetry) return;'],
  'timeouts are paid for by the reserve': [
    '  take(nowMs: number, occasion: Occasion): boolean {',
    "  take(nowMs: number, given: Occasion): boolean { const occasion = given === 'first' ? given : 'after-failure';",
  ],
};

const WORLDS: Readonly<Record<string, string>> = { grid: 'grid', outside: 'outside', 'two parts': 'parts' };

export default {
  title: 'What each constant is there for',
  note: 'The rule with one of its constants changed, or one of its steps left out; what it is in parentheses. 180 worlds of the grid, 48 of those outside the grid, 17 of those with two parts; two seeds. Answered: of all requests, in two parts of those to the part that is well, beside no retries. Near: the share of the worlds in which the worst seed answers at most a point less than no retries. Worst: the worst world and seed, in points.',
  columns: Object.keys(WORLDS).flatMap((worlds) => [
    column(`${worlds}: answered, %`, `${WORLDS[worlds]} answered`, 1),
    column('near, %', `${WORLDS[worlds]} near`),
    column('worst', `${WORLDS[worlds]} worst`, 1),
  ]),
  ranked: false,
  inVirtualTime: true,
  rounds: 1,
  async rows() {
    return Object.keys(VARIANTS).map((name) => ({ group: '', name }));
  },
  async measure({ name }) {
    const child = join(import.meta.dirname, 'variant.ts');
    const args = [...process.execArgv, child, ...(VARIANTS[name] as readonly string[])];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Record<string, number>;
  },
} satisfies Part;
