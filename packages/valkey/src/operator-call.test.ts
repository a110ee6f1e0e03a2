import { expect, test } from 'vitest';
import { type OperationResult, operate } from './operator-call.ts';

const NOW = 60e12;
const HEAD = [1, NOW, 5_000_000, NOW - 20_000, 1, NOW + 3_200_000, NOW - 9, 3, 4_200, 300];
const DECLARED = 'requests a%20unit 10 20000000 0.5 9000000';
const UNITS = ['requests', '10', '20000000', NOW - 750_000, 'a%20unit', '0.5', '500000000', NOW + 4_000_000];
const RECORDS = ['a1b2c3d4', 250_000, NOW + 4_000_000, 'e5f6g7h8', 500_000, NOW - 1];

/** As the script replies through a client that has numbers, or texts alone. */
const replied = (reply: unknown): Promise<OperationResult> =>
  operate({ eval: async () => reply }, 'key', { type: 'inspect' });
const reply = [...HEAD, 2, ...UNITS, DECLARED, 2, 125_000, NOW + 9_000_000, ...RECORDS];

test.each([
  ['numbers', reply],
  ['texts', reply.map(String)],
])('a bucket is read from %s', async (_, told) => {
  expect(await replied(told)).toEqual({
    type: 'done',
    state: {
      ...{
        version: 3,
        pausedMs: 3_200,
        closedMs: 0,
        writtenMsAgo: 20,
        aheadMs: 5_000,
        expiresInMs: 4_200,
        bytes: 300,
      },
      units: [
        { name: 'requests', refillPerSecond: 10, capacity: 20, tokens: 7.5 },
        { name: 'a unit', refillPerSecond: 0.5, capacity: 500, tokens: -2 },
      ],
      declared: [
        { name: 'requests', refillPerSecond: 10, capacity: 20 },
        { name: 'a unit', refillPerSecond: 0.5, capacity: 9 },
      ],
      // The share of the other one has expired.
      processes: [{ name: 'a1b2c3d4', share: 0.25, expiresInMs: 4_000 }],
      missing: { processes: 2, share: 0.125, expiresInMs: 9_000 },
    },
  });
});

test('one unit has no name, and a full bucket no more than its capacity', async () => {
  const one = [...HEAD.slice(0, 8), -1, 170, 1, '', '5', '7000000', NOW - 60e6, ' 5 7000000', 0, 0, 77];
  expect(await replied(one)).toMatchObject({
    state: {
      ...{ units: [{ name: undefined, tokens: 7 }], declared: [{ name: undefined, capacity: 7 }] },
      ...{ missing: { processes: 0, share: 0, expiresInMs: 0 }, processes: [], expiresInMs: undefined },
    },
  });
});

test.each<[reply: unknown, operated: OperationResult]>([
  [[0], { type: 'none' }],
  [[2, 7], { type: 'changed', version: 7 }],
  [[3], { type: 'unknown' }],
])('%j is %j', async (told, operated) => {
  expect(await replied(told)).toEqual(operated);
});

test.each([[undefined], ['OK'], [[4]], [[2]], [[1, 5]], [reply.with(12, 'ten')], [reply.with(10, 0)]])(
  '%j is no reply of the script',
  async (told) => {
    await expect(replied(told)).rejects.toThrow('Unexpected reply from the store');
  },
);
