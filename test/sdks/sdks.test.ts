import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Endings } from './endings.ts';
import type { Result } from './run.ts';

let results: readonly Result[];
let endings: Readonly<Record<string, Endings>>;
let isCurrent: boolean;

// The clocks of that process are virtual.
beforeAll(async () => {
  const program = join(import.meta.dirname, 'run.ts');
  const env = { ...process.env, NODE_OPTIONS: '' };
  const options = { env, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@ebb/source', program],
    options,
  );
  ({ results, endings, isCurrent } = JSON.parse(stdout));
});

/** The names of rows, for a message that says which are wrong. */
function namesOf(rows: readonly Result[]): string[] {
  return rows.map(({ sdk, row }) => `${sdk}: ${row.name}`);
}

function find(sdk: string, name: string): Result | undefined {
  return results.find((result) => result.sdk === sdk && result.row.name === name);
}

describe('an SDK over ebb, compared with the SDK alone', () => {
  test('there are rows', () => {
    expect(results.length).toBeGreaterThan(200);
    expect(new Set(results.map(({ sdk }) => sdk)).size).toBe(11);
  });

  test('never asks earlier than the answer says', () => {
    const verdicts = ({ repeatedVerdict, carefulVerdict }: Result): string[] => [
      repeatedVerdict,
      carefulVerdict,
    ];
    expect(namesOf(results.filter((result) => verdicts(result).includes('too early')))).toEqual([]);
  });

  test('that may repeat POSTs is never worse', () => {
    expect(namesOf(results.filter(({ repeatedVerdict }) => repeatedVerdict === 'worse'))).toEqual([]);
  });

  test('that may not is worse only where a POST was perhaps carried out: there the caller gets the error', () => {
    const worse = results.filter(({ carefulVerdict }) => carefulVerdict === 'worse');
    const isPerhapsDone = ({ row }: Result): boolean => !/^(429|403)/.test(row.name);
    expect(
      namesOf(worse.filter((result) => !isPerhapsDone(result) || result.careful.gapsMs.length > 0)),
    ).toEqual([]);
  });

  test('sends a good request once', () => {
    const twice = results.filter(
      ({ repeated, careful }) => repeated.gapsMs.length > 1 || careful.gapsMs.length > 1,
    );
    expect(namesOf(twice)).toEqual([]);
  });

  test('is better somewhere with each SDK', () => {
    const better = results.filter(({ repeatedVerdict }) => repeatedVerdict === 'better');
    expect(new Set(better.map(({ sdk }) => sdk)).size).toBe(11);
  });
});

describe('a call that is ended while ebb waits', () => {
  const all = (kind: 'abort' | 'timeout') =>
    Object.entries(endings).flatMap(([sdk, { [kind]: ended }]) =>
      ended === undefined ? [] : [[sdk, ended] as const],
    );

  test('by the caller ends at once, and nothing is sent after that', () => {
    expect(all('abort')).toHaveLength(9);
    for (const [sdk, ended] of all('abort')) {
      expect([sdk, ended]).toEqual([sdk, { errors: ended.errors, afterMs: 5_000, requests: 1, later: 0 }]);
    }
  });

  test('by a timeout of the SDK does so too, but that of AWS is for an attempt', () => {
    const rest = all('timeout').filter(([sdk]) => !sdk.startsWith('@aws-sdk'));
    expect(rest).toHaveLength(8);
    for (const [sdk, ended] of rest) {
      expect([sdk, ended]).toEqual([sdk, { errors: ended.errors, afterMs: 5_000, requests: 1, later: 0 }]);
    }
    expect(endings['@aws-sdk/client-dynamodb']?.timeout?.requests).toBe(6);
  });
});

describe('a stream', () => {
  const streaming = () => Object.entries(endings).filter(([, { lateError }]) => lateError !== undefined);

  test('is not sent again after an error that is not its first event', () => {
    expect(streaming()).toHaveLength(5);
    for (const [sdk, { lateError }] of streaming()) {
      expect([sdk, lateError?.requests, lateError?.later]).toEqual([sdk, 1, 0]);
      expect([sdk, lateError?.errors]).not.toEqual([sdk, ['none']]);
    }
  });

  test('is closed when the caller leaves the loop over it, in the SDKs that do so without ebb', () => {
    const closing = streaming().filter(([, { closesLeft }]) => closesLeft);
    expect(closing.map(([sdk]) => sdk)).toEqual(['openai', '@anthropic-ai/sdk', '@langchain/openai']);
  });
});

describe('the SDKs alone do what their sources say', () => {
  test.each([
    ['openai', '503', [437.5]],
    ['openai', '429, `Retry-After: 61`', [437.5]],
    ['@anthropic-ai/sdk', '429, `Retry-After: 61`', [61_000]],
    ['ai', '503', [2_000]],
    ['@langchain/openai', '429', []],
    ['@google/genai', '429, `Retry-After: 2`', [1_500]],
    ['@google/genai', 'a reset', []],
    ['cloudflare', '429, `retry-after-ms: 300`', [300]],
    ['stripe', '429', []],
    ['stripe', 'no response within 1 s', [1_500]],
    ['octokit', '429, `Retry-After: 2`', [1_000]],
    ['octokit', '403, requests used up', [91_000]],
    ['@slack/web-api', '429, `Retry-After: 2`', [3_500]],
    ['@shopify/graphql-client', '429, `Retry-After: 2`', [2]],
    ['@aws-sdk/client-dynamodb', '503', [12.5]],
    ['@aws-sdk/client-dynamodb', '429, `Retry-After: 61`', [5_500]],
  ])('%s, %s', (sdk, name, gapsMs) => {
    const alone = find(sdk, name)?.alone;
    expect(alone?.gapsMs).toHaveLength(gapsMs.length);
    // Timers take whole milliseconds, and octokit waits for two more of its own.
    alone?.gapsMs.forEach((gapMs, index) => {
      expect(Math.abs(gapMs - (gapsMs[index] ?? 0))).toBeLessThan(3);
    });
  });
});

test('the page has the tables of this run: `pnpm -C test/sdks run compare` writes them', () => {
  expect(isCurrent).toBe(true);
});
