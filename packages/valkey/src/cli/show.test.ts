import { describe, expect, test } from 'vitest';
import type { BucketState, OperationResult } from '../operator-call.ts';
import { changeOf } from './changes.ts';
import { bucketText } from './show.ts';
import { watch } from './watch.ts';

const declared = [
  { name: 'requests', refillPerSecond: 10, capacity: 20 },
  { name: 'tokens', refillPerSecond: 1 / 3, capacity: 500 },
] as const;
const [requests, tokens] = declared;

const state: BucketState = {
  ...{ version: 3, pausedMs: 0, closedMs: 0, writtenMsAgo: 20, aheadMs: 0, expiresInMs: 4_200, bytes: 300 },
  units: [
    { ...requests, tokens: 7.5 },
    { ...tokens, tokens: -12.25 },
  ],
  declared,
  processes: [
    { name: 'a1b2c3d4', share: 1 / 3, expiresInMs: 4_000 },
    { name: 'e5f6g7h8', share: 0.5, expiresInMs: 60_000 },
  ],
  missing: { processes: 0, share: 0, expiresInMs: 0 },
};
const others: BucketState = {
  ...{ ...state, version: 4, pausedMs: 3_200, closedMs: 250, aheadMs: 5_000 },
  declared: [{ ...tokens, refillPerSecond: 1 }],
  missing: { processes: 2, share: 0.125, expiresInMs: 9_000 },
};

describe('a bucket as text', () => {
  test('has its limits, its tokens and its processes', () => {
    expect(bucketText('ebb:{k}', state)).toBe(`ebb:{k}
limits of version 3
written 0.02 s ago
300 bytes, expires in 4.2 s

unit      rate/s  capacity  tokens
requests      10        20     7.5
tokens    0.3333       500  -12.25

process    share  expires in
a1b2c3d4  33.3 %         4 s
e5f6g7h8    50 %        60 s
`);
  });

  test('says what is unusual', () => {
    const text = bucketText('ebb:{k}', others);
    expect(text).toContain('limits of version 4, set: processes declare others\npaused for 3.2 s\n');
    expect(text).toContain('closed after an outage for 0.25 s\n');
    expect(text).toContain('its time is 5 s ahead of the clock, which was set\n');
    expect(text).toMatch(/\n2 not back after a loss +12.5 % +9 s\n/);
    expect(bucketText('ebb:{k}', { ...state, processes: [] })).toContain('no process holds a share');
  });
});

describe('a command', () => {
  type Asked = Parameters<typeof changeOf>[0];
  const change = (asked: object, of: BucketState) =>
    changeOf({ process: '', unit: undefined, limit: {}, ifVersion: undefined, ...asked } as Asked, of);
  const set = (unit: string | undefined, limit: object) => ({ command: 'set', unit, limit });
  const both = { refillPerSecond: 2, capacity: 4 };
  const single = [{ name: undefined, refillPerSecond: 2, capacity: 1, tokens: 0 }];

  test.each<[asked: object, of: BucketState, diff: string[]]>([
    [set('tokens', { capacity: 400 }), state, ['tokens: capacity 500 → 400']],
    [set('tokens', both), state, ['tokens: rate/s 0.3333 → 2', 'tokens: capacity 500 → 4']],
    [set('requests', { refillPerSecond: 10 }), state, []],
    [set(undefined, { refillPerSecond: 1 }), { ...state, units: single }, ['(one): rate/s 2 → 1']],
    [
      { command: 'leave', process: 'e5f6g7h8' },
      state,
      ['e5f6g7h8: a share that expires in 60 s → none', 'shares in all: 83.3 % → 33.3 %'],
    ],
    [
      { command: 'reset' },
      others,
      ['requests: tokens 7.5 → 0', 'tokens: tokens -12.25 → 0', 'a pause of 3.2 s → none'],
    ],
  ])('changes what it says: %j (%#)', (asked, of, diff) => {
    expect(change(asked, of).diff).toEqual(diff);
  });

  test.each<[asked: object, of: BucketState, message: string]>([
    [set(undefined, { capacity: 1 }), state, 'set takes --unit: the bucket has requests, tokens'],
    [set('out', {}), state, 'there is no unit out; the bucket has requests, tokens'],
    [set('tokens', { refillPerSecond: 1e-8 }), state, '--rate must be at least 0.000005'],
    [
      { command: 'leave', process: 'x' },
      { ...state, processes: [] },
      'there is no process x; there are none',
    ],
  ])('%j does not fit', (asked, of, message) => {
    expect(() => change(asked, of)).toThrow(message);
  });
});

describe('watch', () => {
  const read = async (key: string): Promise<OperationResult> =>
    key === 'ebb:{gone}' ? { type: 'none' } : { type: 'done', state };
  const options = { prefix: 'ebb:{', name: '', json: false, once: true };

  test.each([
    ['', 'ebb:{*}'],
    ['api.', 'ebb:{api.*}'],
    ['a*[b]?\\', 'ebb:{a\\*\\[b\\]\\?\\\\*}'],
  ])('looks for names that begin with %j by the pattern %s', async (name, pattern) => {
    const patterns: string[] = [];
    const scan = async (one: string): Promise<string[]> => {
      patterns.push(one);
      return [];
    };
    await watch({ ...options, name }, scan, read, { write: () => undefined });
    expect(patterns).toEqual([pattern]);
  });

  test.each<[terminal: object, lines: number]>([
    [{}, 1 + 240 + 1],
    [{ isTTY: true, rows: 10 }, 9 + 1],
  ])('leaves out what has expired meanwhile, and fits the terminal %j', async (terminal, lines) => {
    const keys = ['ebb:{gone}', ...Array.from({ length: 120 }, (_, at) => `ebb:{${at}}`)];
    let written = '';
    const write = (text: string): void => {
      written += text;
    };
    await watch(options, async () => keys, read, { write, ...terminal });
    expect(written.split('\n')).toHaveLength(lines);
    expect(written).not.toContain('gone');
  });
});
