import { describe, expect, test } from 'vitest';
import type { BucketState, Operated, UnitState } from '../operator-call.ts';
import { changeOf } from './changes.ts';
import { bucketsText, bucketText, isSet, table } from './show.ts';
import { watch } from './watch.ts';

const unit = (
  name: string | undefined,
  refillPerSecond: number,
  capacity: number,
  tokens: number,
): UnitState => ({
  ...{ name, refillPerSecond, capacity, tokens },
});

const state: BucketState = {
  ...{ version: 3, pausedMs: 0, closedMs: 0, writtenMsAgo: 20, aheadMs: 0, expiresInMs: 4_200, bytes: 300 },
  units: [unit('requests', 10, 20, 7.5), unit('tokens', 1 / 3, 500, -12.25)],
  declared: [
    { name: 'requests', refillPerSecond: 10, capacity: 20 },
    { name: 'tokens', refillPerSecond: 1 / 3, capacity: 500 },
  ],
  processes: [
    { name: 'a1b2c3d4', share: 1 / 3, expiresInMs: 4_000 },
    { name: 'e5f6g7h8', share: 0.5, expiresInMs: 60_000 },
  ],
  missing: { processes: 0, share: 0, expiresInMs: 0 },
};
const others: BucketState = {
  ...{ ...state, version: 4, pausedMs: 3_200, closedMs: 250, aheadMs: 5_000 },
  declared: [{ name: 'tokens', refillPerSecond: 1, capacity: 500 }],
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

  test('in a table has a row for each unit', () => {
    const text = bucketsText([
      ['ebb:{a}', state],
      ['ebb:{b}', others],
    ]);
    const rows = text.split('\n').map((line) => line.split(/ {2,}/).join('|'));
    expect(rows).toEqual([
      'key|unit|rate/s|capacity|tokens|processes|shares|paused|version',
      'ebb:{a}|requests|10|20|7.5|2|83.3 %|0 s|3',
      'ebb:{a}|tokens|0.3333|500|-12.25|2|83.3 %|0 s|3',
      'ebb:{b}|requests|10|20|7.5|4|95.8 %|3.2 s|4 set',
      'ebb:{b}|tokens|0.3333|500|-12.25|4|95.8 %|3.2 s|4 set',
    ]);
    expect(table([['a', 'b']])).toBe('a  b');
  });

  test.each([
    [state, false],
    [others, true],
    // A unit that was declared by an older process, and is not there any more.
    [{ ...state, declared: [{ name: 'out', refillPerSecond: 9, capacity: 9 }] }, false],
    [{ ...state, declared: [{ name: 'requests', refillPerSecond: 10, capacity: 21 }] }, true],
  ])('whether others were set (%#)', (one, expected) => {
    expect(isSet(one)).toBe(expected);
  });
});

const asked = (more: object): Parameters<typeof changeOf>[0] =>
  ({ process: '', unit: undefined, limit: {}, ifVersion: undefined, ...more }) as Parameters<
    typeof changeOf
  >[0];

describe('what a command changes', () => {
  test.each<[name: string, asked: object, of: BucketState, diff: string[]]>([
    [
      'set',
      { command: 'set', unit: 'tokens', limit: { capacity: 400 } },
      state,
      ['tokens: capacity 500 → 400'],
    ],
    [
      'set',
      { command: 'set', unit: 'tokens', limit: { refillPerSecond: 2, capacity: 4 } },
      state,
      ['tokens: rate/s 0.3333 → 2', 'tokens: capacity 500 → 4'],
    ],
    ['set', { command: 'set', unit: 'requests', limit: { refillPerSecond: 10 } }, state, []],
    [
      'set',
      { command: 'set', limit: { refillPerSecond: 1 } },
      { ...state, units: [unit(undefined, 2, 1, 0)] },
      ['(one): rate/s 2 → 1'],
    ],
    [
      'leave',
      { command: 'leave', process: 'e5f6g7h8' },
      state,
      ['e5f6g7h8: a share that expires in 60 s → none', 'shares in all: 83.3 % → 33.3 %'],
    ],
    [
      'reset',
      { command: 'reset' },
      others,
      ['requests: tokens 7.5 → 0', 'tokens: tokens -12.25 → 0', 'a pause of 3.2 s → none'],
    ],
  ])('%s (%#)', (_, more, of, diff) => {
    expect(changeOf(asked(more), of).diff).toEqual(diff);
  });

  test.each<[asked: object, of: BucketState, message: string]>([
    [{ command: 'set', limit: { capacity: 1 } }, state, 'set takes --unit: the bucket has requests, tokens'],
    [
      { command: 'set', unit: 'out', limit: {} },
      state,
      'there is no unit out; the bucket has requests, tokens',
    ],
    [
      { command: 'set', unit: 'tokens', limit: { refillPerSecond: 1e-8 } },
      state,
      '--rate must be at least 0.000005',
    ],
    [
      { command: 'leave', process: 'x' },
      { ...state, processes: [] },
      'there is no process x; there are none',
    ],
  ])('%j does not fit', (more, of, message) => {
    expect(() => changeOf(asked(more), of)).toThrow(message);
  });
});

describe('watch', () => {
  const read = async (key: string): Promise<Operated> =>
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

  test('leaves out what has expired meanwhile, and fits a terminal', async () => {
    const keys = ['ebb:{gone}', ...Array.from({ length: 120 }, (_, at) => `ebb:{${at}}`)];
    const written: string[] = [];
    const out = {
      write(text: string) {
        written.push(text);
      },
    };
    await watch(options, async () => keys, read, out);
    expect(written.join('').split('\n')).toHaveLength(1 + 240 + 1);
    expect(written.join('')).not.toContain('gone');
    written.length = 0;
    await watch(options, async () => keys, read, { ...out, isTTY: true, rows: 10 });
    expect(written.join('').trim().split('\n')).toHaveLength(9);
  });
});

describe('names that others have chosen', () => {
  const NAME = 'k\u001b]0;title\u0007\n\u009b2J\u202e';
  const SHOWN = 'k\\u001b]0;title\\u0007\\u000a\\u009b2J\\u202e';
  const strange: BucketState = {
    ...state,
    units: [unit(NAME, 10, 20, 7.5)],
    processes: [{ name: NAME, share: 1, expiresInMs: 4_000 }],
  };
  const isObeyed = (text: string): boolean => /(?!\n)[\p{Cc}\p{Bidi_C}]/u.test(text);

  test('are not obeyed by a terminal', () => {
    for (const text of [bucketText(`ebb:{${NAME}}`, strange), bucketsText([[`ebb:{${NAME}}`, strange]])]) {
      expect(text).toContain(`ebb:{${SHOWN}}`);
      expect(isObeyed(text)).toBe(false);
    }
    expect(bucketText('ebb:{k}', strange).split(SHOWN)).toHaveLength(3);
  });

  test('are the same ones in JSON', async () => {
    const written: string[] = [];
    const out = { write: (text: string) => written.push(text) };
    const asked = { prefix: 'ebb:{', name: '', json: true, once: true };
    const read = async (): Promise<Operated> => ({ type: 'done', state: strange });
    await watch(asked, async () => [`ebb:{${NAME}}`], read, out);
    expect(isObeyed(written.join(''))).toBe(false);
    expect(JSON.parse(written.join('')).buckets[0]).toMatchObject({
      key: `ebb:{${NAME}}`,
      units: [{ name: NAME }],
    });
  });
});
