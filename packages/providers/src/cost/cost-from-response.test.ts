import type { CallView, Costs } from '@ebb/core';
import { nextTurn, type Peek } from '@ebb/core/adapter';
import { virtualClock } from '@ebb/core/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CostFromResponseOptions, costFromResponse } from './cost-from-response.ts';
import type { CostOfResponse } from './tally.ts';

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => {
    warnings.push((warning as Error).message);
  });
});
afterEach(() => vi.restoreAllMocks());

/** A call whose attempt took 7, and what its bucket and its code are told, in order. */
function setUp(actual: CostOfResponse, options: CostFromResponseOptions = {}, call: Partial<CallView> = {}) {
  const told: string[] = [];
  const bucket = { atMost: (left: number | Costs) => void told.push(`at most ${JSON.stringify(left)}`) };
  const grant = {
    cost: 7,
    settle: (actual: number | Costs) => void told.push(`settle ${JSON.stringify(actual)}`),
  };
  const learnerFor = () => (actual: number | Costs) => void told.push(`learn ${JSON.stringify(actual)}`);
  const policy = { clock: virtualClock({ startMs: 0 }), cost: Object.assign(() => 7, { learnerFor }) };
  const whole = { grant, bucket, policy, request: { method: 'GET' }, ...call } as unknown as CallView;
  const { inspect, ended } = costFromResponse(actual, options);
  /** Judges a response with this body, or with one that never ends, and ends the call. */
  const judge = async (
    body: string | undefined,
    headers: Record<string, string> = {},
    end = 'success',
  ): Promise<string[]> => {
    const fields: string[] = [];
    const header = (name: string): string | undefined => {
      fields.push(name);
      return headers[name];
    };
    const peek: Peek = {
      read: async () => undefined,
      stop: () => undefined,
      watch: (watcher, ended) => {
        if (body === undefined) return;
        for (const part of body.match(/.{1,5}/gs) ?? []) watcher.part(part);
        ended();
      },
    };
    const look = { attempt: 2, signal: undefined, open: () => peek };
    inspect.judge({ type: 'response', status: 200, header }, whole, look, undefined);
    ended?.(whole, end as never);
    await nextTurn();
    return fields;
  };
  return { told, judge, call: whole };
}

const json: CostOfResponse = async (response) => (await response.json()) as number;

describe('what a response is read as', () => {
  test.each<[type: string | undefined, body: string, said: unknown[]]>([
    [undefined, '[1]', [[1]]],
    ['application/json', '[1]', [[1]]],
    ['text/event-stream; charset=utf-8', 'data: [1]\n\ndata: [2]\n\n', [[1], [2]]],
    [' Text/Event-Stream', 'data: [1]\n\n', [[1]]],
    ['x-text/event-stream', 'data: [1]\n\n', [undefined]],
    ['application/x-ndjson', '[1]\n[2]', [[1], [2]]],
    ['application/jsonlines', '[1]\n[2]', [[1], [2]]],
    ['application/vnd.amazon.eventstream; v=1', '\0\0\0\x13\0\0\0\0crc1[1]crc2', [[1]]],
  ])('%s', async (type, body, said) => {
    const seen: unknown[] = [];
    const { judge } = setUp(async (response) => {
      expect(response.attempt).toBe(2);
      seen.push(await response.json());
      return undefined;
    });
    await judge(body, type === undefined ? {} : { 'content-type': type });
    expect(seen).toEqual(said);
    expect(warnings).toEqual([]);
  });
});

describe('the order in which a bucket is told', () => {
  const remaining: CostOfResponse = () => 3;

  test.each<
    [
      story: string,
      actual: CostOfResponse,
      body: string | undefined,
      headers: Record<string, string>,
      told: string[],
    ]
  >([
    ['a cost that is known at once', () => 5, undefined, {}, ['settle 5', 'learn 5', 'at most 3']],
    ['a cost that is known soon', async () => 5, undefined, {}, ['settle 5', 'learn 5', 'at most 3']],
    ['a cost that is in the body', json, '5', {}, ['settle 5', 'learn 5', 'at most 3']],
    ['no cost', () => undefined, '5', {}, ['settle 7', 'at most 3']],
    ['no cost before the end', () => undefined, undefined, {}, ['at most 3']],
    [
      'a stream',
      json,
      'data: 5\n\n',
      { 'content-type': 'text/event-stream' },
      ['at most 3', 'settle 5', 'learn 5'],
    ],
    ['a cached response, whose quota is old', () => 5, '5', { age: '1' }, ['settle 5', 'learn 5']],
  ])('%s', async (_, actual, body, headers, told) => {
    const set = setUp(actual, { remaining });
    await set.judge(body, headers);
    expect(set.told).toEqual(told);
  });

  test.each<[end: string, told: string[]]>([
    ['success', ['settle 5', 'learn 5']],
    ['outer-client-retries', ['settle 5', 'learn 5']],
    ['final', ['settle 5']],
  ])('a call that ends with %s', async (end, told) => {
    const set = setUp(() => 5);
    await set.judge('5', {}, end);
    expect(set.told).toEqual(told);
  });
});

describe('what fails is reported, and what was known is settled', () => {
  test.each<[story: string, actual: CostOfResponse, message: string]>([
    [
      'a throw',
      () => {
        throw new Error('boom');
      },
      'boom',
    ],
    ['a rejection', () => Promise.reject(new Error('boom')), 'boom'],
    ['a wrong cost', () => -1, 'its result must be a finite number ≥ 0, got -1'],
    ['a wrong cost, later', async () => -1, 'its result must be a finite number ≥ 0, got -1'],
    [
      'a list',
      () => [5] as never,
      'its result must be a number, or an object with a number for each unit, got an array',
    ],
    ['a wrong cost of a unit', () => ({ a: -1 }), 'its result: a must be a finite number ≥ 0, got -1'],
    ['a cost in a unit that the bucket does not have', () => ({ tokns: 5 }), 'no unit tokns'],
  ])('%s', async (_, actual, message) => {
    const told: unknown[] = [];
    const grant = {
      cost: 7,
      settle: (actual: number | Costs) => {
        if (typeof actual === 'object') throw new TypeError('no unit tokns');
        told.push(actual);
      },
    };
    // One of its own: each function is reported once.
    await setUp((response) => actual(response), {}, { grant: grant as never }).judge('5');
    expect(told).toEqual([7]);
    expect(warnings).toEqual([`actualCost failed, and is ignored: actualCost failed: ${message}`]);
  });

  test('nothing is learned of a cost that the bucket refuses', async () => {
    const refusing = (actual: number | Costs): void => {
      if (actual !== 7) throw new TypeError('too much');
    };
    const { told, judge } = setUp(() => 9, {}, { grant: { cost: 7, settle: refusing } as never });
    await judge('5');
    expect(told).toEqual([]);
  });
});

describe('what is left', () => {
  test.each<[story: string, left: unknown, call: Partial<CallView>, told: string[]]>([
    ['a number', 3, {}, ['at most 3']],
    ['by unit', { a: 3 }, {}, ['at most {"a":3}']],
    ['nothing', undefined, {}, []],
    ['null', null, {}, []],
    ['at a bucket that takes no such number', 3, { bucket: {} as never }, []],
  ])('%s', async (_, left, call, told) => {
    const set = setUp(() => undefined, { remaining: async () => left as number }, call);
    await set.judge('{}');
    expect(set.told.filter((line) => line.startsWith('at most'))).toEqual(told);
    expect(warnings).toEqual([]);
  });

  test('that is no cost is reported', async () => {
    const set = setUp(() => undefined, { remaining: () => ({ a: -1 }) });
    await set.judge('{}');
    expect(set.told).toEqual(['settle 7']);
    expect(warnings).toEqual([
      'remaining failed, and is ignored: remaining failed: its result: a must be a finite number ≥ 0, got -1',
    ]);
  });

  test('is not asked without a bucket', async () => {
    const remaining = vi.fn();
    await setUp(() => undefined, { remaining }, { bucket: undefined }).judge('{}');
    expect(remaining).not.toHaveBeenCalled();
  });

  test('a stream has passed no text then', async () => {
    const texts: string[] = [];
    const remaining: CostOfResponse = async (response) => {
      texts.push(await response.text());
      return undefined;
    };
    await setUp(json, { remaining }).judge('data: 5\n\n', { 'content-type': 'text/event-stream' });
    expect(texts).toEqual(['']);
  });

  test('if no one asks, no field but the type is read', async () => {
    expect(await setUp(json).judge('5')).toEqual(['content-type']);
  });
});

test('an attempt without tokens of its own is not read', async () => {
  const actual = vi.fn();
  const { judge, call } = setUp(actual, {}, { grant: undefined });
  expect(await judge('5')).toEqual([]);
  expect(actual).not.toHaveBeenCalled();
  expect(call.meteredGrant).toBeUndefined();
});

test('what is read is settled by this plugin alone', async () => {
  const { judge, call } = setUp(json);
  await judge('5');
  expect(call.meteredGrant).toBe(call.grant);
  expect(costFromResponse(json)).toMatchObject({ name: 'cost' });
});

test('wrong options are named', () => {
  expect(() => costFromResponse(5 as never)).toThrow('costFromResponse: actual must be a function, got 5');
  expect(() => costFromResponse(json, { most: 5 } as never)).toThrow('costFromResponse has no option "most"');
});
