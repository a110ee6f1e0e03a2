import { expect, test } from 'vitest';
import { LoneLease } from '../test/lone-lease.ts';
import { knownArgs } from './lease.ts';
import type { RawReply } from './store-call.ts';

function raw(epoch: number, atUs: number, other: Partial<RawReply> = {}): RawReply {
  return {
    ...{ tooLate: false, atUs, writtenUs: atUs, frame: epoch, shiftUs: 0, epoch, version: 1 },
    ...{ pausedUs: 0, resumedUs: 0, processes: 1, total: 0, endsUs: 0, share: undefined, waitMs: 0 },
    ...{ granted: [0], emptyUs: [atUs], givenUs: [0], baseUs: [0], averageLease: [0], limits: undefined },
    ...other,
  };
}

/** A reply to a call that was sent then, and whether it counts. */
interface Told {
  readonly sentAtMs: number;
  readonly epoch: number;
  readonly atUs: number;
  readonly isCounted: boolean;
}

const counts = (sentAtMs: number, epoch: number, atSeconds: number): Told => {
  return { sentAtMs, epoch, atUs: atSeconds * 1e6, isCounted: true };
};
const isOld = (...reply: Parameters<typeof counts>): Told => ({ ...counts(...reply), isCounted: false });

test.each<[name: string, replies: readonly Told[]]>([
  ['is their time', [counts(0, 1, 5), counts(1, 1, 6), counts(2, 1, 7)]],
  ['is their time, also if one is overtaken', [counts(0, 1, 5), counts(2, 1, 7), isOld(1, 1, 6)]],
  ['goes on if a bucket begins at an earlier time', [counts(0, 1, 5), counts(1, 2, 1), counts(2, 2, 2)]],
  ['goes on if one begins again', [counts(0, 1, 5), counts(1, 2, 1), counts(2, 3, 0.5), counts(3, 3, 0.6)]],
  ['goes on if one begins later', [counts(0, 1, 5), counts(1, 2, 9), isOld(2, 2, 8), counts(3, 2, 10)]],
  [
    'of two buckets is that of the calls',
    [counts(0, 1, 5), counts(2, 2, 1), isOld(1, 1, 6), counts(3, 2, 2)],
  ],
  ['does not end without a bucket', [counts(0, 1, 5), counts(1, 0, 6), counts(2, 1, 7)]],
])('the order of replies %s', (_, replies) => {
  const lease = new LoneLease();
  for (const { sentAtMs, epoch, atUs, isCounted } of replies) {
    const [before, processes] = [knownArgs(lease.state.known), epoch * 100 + sentAtMs];
    const call = lease.peek(sentAtMs);
    lease.step(10 + sentAtMs, undefined, { call, sentAtMs, reply: raw(epoch, atUs, { processes }) });
    expect(lease.state.processes === processes).toBe(isCounted);
    if (isCounted && epoch > 0) expect(knownArgs(lease.state.known)[1]).toBe(`${epoch}`);
    else expect(knownArgs(lease.state.known)).toEqual(before);
  }
});
