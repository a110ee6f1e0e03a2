import { describe, expect, test } from 'vitest';
import { BucketView } from './bucket-view.ts';
import { KnownState, type Reply } from './known-state.ts';
import type { RawReply } from './store-call.ts';

const LIMITS = [{ refillPerSecond: 10, capacity: 10 }];

function raw(epoch: number, atUs: number, other: Partial<RawReply> = {}): RawReply {
  return {
    ...{ tooLate: false, atUs, writtenUs: atUs, frame: epoch, shiftUs: 0, epoch, version: 1 },
    ...{ pausedUs: 0, resumedUs: 0, processes: 1, total: 0, endsUs: 0, share: undefined, waitMs: 0 },
    ...{ granted: [0], emptyUs: [atUs], givenUs: [0], baseUs: [0], averageLease: [0], limits: undefined },
    ...other,
  };
}

describe('the order of replies', () => {
  /** When the call was sent, the epoch and time of its reply, and whether it counts. The replies come in this order. */
  test.each<
    [name: string, replies: readonly [sentAtMs: number, epoch: number, atUs: number, counts: boolean][]]
  >([
    [
      'is their time',
      [
        [0, 1, 5e6, true],
        [1, 1, 6e6, true],
        [2, 1, 7e6, true],
      ],
    ],
    [
      '… also if one is overtaken',
      [
        [0, 1, 5e6, true],
        [2, 1, 7e6, true],
        [1, 1, 6e6, false],
      ],
    ],
    [
      'goes on if a bucket begins at an earlier time',
      [
        [0, 1, 5e6, true],
        [1, 2, 1e6, true],
        [2, 2, 2e6, true],
      ],
    ],
    [
      '… again',
      [
        [0, 1, 5e6, true],
        [1, 2, 1e6, true],
        [2, 3, 5e5, true],
        [3, 3, 6e5, true],
      ],
    ],
    [
      '… at a later one',
      [
        [0, 1, 5e6, true],
        [1, 2, 9e6, true],
        [2, 2, 8e6, false],
        [3, 2, 10e6, true],
      ],
    ],
    [
      'of two buckets is that of the calls',
      [
        [0, 1, 5e6, true],
        [2, 2, 1e6, true],
        [1, 1, 6e6, false],
        [3, 2, 2e6, true],
      ],
    ],
    [
      'does not end without a bucket',
      [
        [0, 1, 5e6, true],
        [1, 0, 6e6, true],
        [2, 1, 7e6, true],
      ],
    ],
  ])('%s', (_, replies) => {
    const known = new KnownState(LIMITS);
    const view = new BucketView(1);
    for (const [sentAtMs, epoch, atUs, counts] of replies) {
      const [before, processes] = [known.args, epoch * 100 + sentAtMs];
      const reply = known.observe(raw(epoch, atUs, { processes }), sentAtMs, 10 + sentAtMs);
      expect(view.observe(reply, 10 + sentAtMs)).toBe(counts);
      expect(view.processes === processes).toBe(counts);
      if (counts && epoch > 0) expect(known.args[1]).toBe(`${epoch}`);
      else expect(known.args).toEqual(before);
    }
  });
});

test('requests may be served sooner if tokens are given back, not if others take part', () => {
  const known = new KnownState(LIMITS);
  const lineOf = (reply: RawReply): Reply['line'] => known.observe(reply, 0, 1).line;
  const line = lineOf(raw(1, 1e6, { processes: 2 }));
  expect(lineOf(raw(1, 2e6, { processes: 3 }))).toBe(line);
  expect(lineOf(raw(1, 3e6, { processes: 3, givenUs: [7] }))).not.toBe(line);
  expect(lineOf(raw(2, 4e6, { processes: 3 }))).not.toBe(line);
});
