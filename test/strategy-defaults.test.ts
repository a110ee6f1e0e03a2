import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { declared } from './declared.ts';

const core = 'packages/core/src';
const LIMITS = `${core}/limits`;
const RULES = `${core}/backoff`;

/** The interfaces of options that a function takes, each with the file that declares it. */
const BUCKET = [
  [`${LIMITS}/bucket/options.ts`, 'TokenBucketOptions'],
  [`${LIMITS}/bucket/options.ts`, 'WaitingBucketOptions'],
  [`${core}/queue/options.ts`, 'WaitingOptions'],
] as const;
const STORE = ['packages/valkey/src/store-options.ts', 'StoreOptions'] as const;
const OPTIONS: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  createPolicy: [[`${core}/policy/options.ts`, 'PolicyOptions']],
  memorystore: [[`${RULES}/curves.ts`, 'MemorystoreOptions']],
  fullJitter: [[`${RULES}/curves.ts`, 'Curve']],
  celery: [[`${RULES}/ending-rules.ts`, 'CeleryOptions']],
  binaryExponential: [[`${RULES}/ending-rules.ts`, 'BinaryExponentialOptions']],
  connectRetry: [[`${RULES}/ending-rules.ts`, 'ConnectRetryOptions']],
  tokenBucket: BUCKET,
  quotaBucket: [[`${LIMITS}/bucket/quota-bucket.ts`, 'QuotaBucketOptions'], BUCKET[1]],
  adaptive: [[`${LIMITS}/bucket/adaptive.ts`, 'AdaptiveOptions'], ...BUCKET],
  concurrencyLimit: [
    [`${LIMITS}/concurrency/concurrency.ts`, 'ConcurrencyOptions'],
    [`${core}/queue/options.ts`, 'WaitingOptions'],
  ],
  fairQueue: [[`${core}/queue/fair-queue.ts`, 'FairQueueOptions']],
  priorityQueue: [[`${core}/queue/order.ts`, 'PriorityQueueOptions']],
  retryBudget: [[`${LIMITS}/budget/budget.ts`, 'RetryBudgetOptions']],
  hedged: [['packages/hedge/src/hedge-plan.ts', 'HedgeOptions']],
  adaptiveThrottle: [[`${LIMITS}/throttle/throttle.ts`, 'ThrottleOptions']],
  perKey: [[`${LIMITS}/per-key/per-key.ts`, 'PerKeyOptions']],
  resumable: [['packages/resume/src/options.ts', 'ResumeOptions']],
  valkeyBucket: [['packages/valkey/src/options.ts', 'ValkeyBucketOptions'], STORE, BUCKET[1]],
  valkeyBudget: [['packages/valkey/src/budget-options.ts', 'ValkeyBudgetOptions'], STORE],
};

function find(owner: string, option: string): string | undefined {
  const found = (OPTIONS[owner] ?? []).map(([file, name]) => declared(file, name).get(option));
  return found.find((one) => one !== undefined);
}

/** A default as the pages write it: 600,000 for 600_000, and without backticks. */
function plain(text: string): string {
  return text.replaceAll('`', '').replaceAll(/(?<=\d)_(?=\d)/g, ',');
}

/** A row of a table of defaults. */
interface Row {
  readonly page: string;
  readonly owner: string;
  readonly option: string;
  readonly says: string;
}

const ROW = /^\| `(?<owner>\w+)` \| `(?<option>\w+)` \| (?<says>.+?) \| (?<meaning>.+) \|$/gm;
const pages = globSync('docs/strategies/*.md').filter((page) => !page.endsWith('index.md'));

function rowsOf(page: string): Row[] {
  const [, table = ''] = /^## Defaults\n(.*?)^## /ms.exec(readFileSync(page, 'utf8')) ?? [];
  return [...table.matchAll(ROW)].map(({ groups }) => {
    const { owner = '', option = '', says = '' } = groups ?? {};
    return { page, owner, option, says };
  });
}

const rows = pages.flatMap(rowsOf);

test.each(pages)('%s has a table of defaults, and each of its rows is tested', (page) => {
  const [, table = ''] = /^## Defaults\n(.*?)^## /ms.exec(readFileSync(page, 'utf8')) ?? [];
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  expect(lines[0]).toBe('| of | option | default | meaning |');
  expect(rowsOf(page)).toHaveLength(lines.length - 2);
});

describe('a table of defaults says what the docstring says', () => {
  test.each(rows)('$page: $owner, $option: $says', ({ owner, option, says }) => {
    expect(plain(says)).toBe(plain(find(owner, option) ?? 'no such option'));
  });
});

/** Defaults that the table of the function's options contains as they are. */
const literal = rows.filter(({ owner, option }) =>
  /^([\d_.]+|'.*'|true|false)$/.test(find(owner, option) ?? ''),
);

describe('and the docstring says what the option table applies', () => {
  test('most defaults are numbers or words', () => {
    expect(literal.length).toBeGreaterThan(20);
  });

  test.each(literal)('$owner, $option', ({ owner, option }) => {
    const applied = new RegExp(`^  ${option}: \\{.*\\bdefault: ([^,}]+?) ?[,}]`, 'm');
    // The table of a policy stands apart from its interface.
    const files = [...(OPTIONS[owner] ?? []).map(([file]) => file), `${core}/policy/policy.ts`];
    const found = files.map((file) => applied.exec(readFileSync(file, 'utf8'))?.[1]);
    expect(found.find((one) => one !== undefined)).toBe(find(owner, option));
  });
});

describe('every option of a limit is on a page of the strategies', () => {
  // Sources of time and randomness, for tests.
  const plumbing = new Set(['clock', 'random']);
  const limits: Readonly<Record<string, number>> = {
    tokenBucket: 3,
    quotaBucket: 1,
    adaptive: 1,
    concurrencyLimit: 2,
    fairQueue: 1,
    priorityQueue: 1,
    retryBudget: 1,
    throttle: 1,
    perKey: 1,
    valkeyBucket: 2,
    valkeyBudget: 2,
  };
  test.each(Object.entries(limits))('%s', (owner, interfaces) => {
    const own = (OPTIONS[owner] ?? []).slice(0, interfaces);
    const options = own.flatMap(([file, name]) => [...declared(file, name).keys()]);
    const shown = new Set(rows.filter((row) => row.owner === owner).map(({ option }) => option));
    expect(options.filter((option) => !shown.has(option) && !plumbing.has(option))).toEqual([]);
  });
});
