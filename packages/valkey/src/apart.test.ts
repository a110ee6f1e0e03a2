import { expect, test } from 'vitest';
import { KnownBucket } from '../test/known-bucket.ts';
import { model } from '../test/model.ts';
import type { Reply } from './lease.ts';
import { argumentsOf, limitsText, parseReply, type StoreCall, unitNames, whoOf } from './store-call.ts';

const LIMITS = [{ refillPerSecond: 10, capacity: 10 }];

/** A store that loses its key, and whose clock is set. */
class Store {
  text: string | undefined;
  nowMs = 100_000;
  /** By how much its clock was set since the process that calls has seen it last. */
  steppedMs = 0;

  /** A call of a process that knows this. Each call takes a millisecond. */
  call(known: KnownBucket, call: StoreCall): Reply {
    this.nowMs += 1;
    const proposed = this.steppedMs > 0 ? `${(this.nowMs - this.steppedMs) * 1_000}` : '0';
    const own = [...known.args, limitsText(LIMITS), whoOf(call.who), ...argumentsOf(call, 1e5)];
    const args = [call.mode, unitNames(undefined), '0', proposed, ...own];
    const { reply, text } = model(this.text, args, this.nowMs * 1_000);
    this.text = text;
    return known.observe(parseReply(call, reply, 1), this.nowMs, this.nowMs);
  }
}

/** Leases for two seconds. */
const leaseOf = (name: string, held: number, holdsMs: number): StoreCall => ({
  ...{ mode: 'lease', minAmounts: [20e6], maxAvailable: [0], maxFuture: [0] },
  ...{ withinMs: Number.POSITIVE_INFINITY, who: { name, held, holdsMs, expected: 0 } },
});

/**
 * A process leases tokens and pauses the bucket, whose clock is set meanwhile. The store loses the bucket, and another process, which does
 * not know it, begins one on the time of the clock. Then the first process calls. Returns what holds from then on.
 */
function meet(steppedMs: number) {
  const store = new Store();
  const [old, young] = [new KnownBucket(LIMITS), new KnownBucket(LIMITS)];
  store.call(old, leaseOf('old_____', 6e5, 20_000));
  store.nowMs += steppedMs;
  store.steppedMs = steppedMs;
  store.call(old, { mode: 'pause', durationMs: 9_000 });
  store.steppedMs = 0;
  store.call(old, leaseOf('old_____', 6e5, 20_000));
  store.text = undefined;
  store.call(young, leaseOf('young___', 0, 5_000));
  const { emptyInMs, pausedMs, total, endsUs, atUs } = store.call(old, { mode: 'peek' });
  return { timesMs: [emptyInMs[0] as number, pausedMs, (endsUs - atUs) / 1_000], total };
}

test.each([
  ['was not set', 0],
  ['was set back by 5 s', -5_000],
  ['was set back by 50 s', -50_000],
  ['was set ahead by 5 s', 5_000],
  ['was set ahead by a day', 864e5],
])('two buckets that began apart add up if the clock %s', (_, steppedMs) => {
  const { timesMs, total } = meet(steppedMs);
  // Six seconds of leases without one of the capacity, and the pause; the pause; the share of the first process. Calls took the rest.
  for (const [at, ms] of [14_000, 9_000, 20_000].entries()) {
    expect(timesMs[at]).toBeLessThanOrEqual(ms);
    expect(timesMs[at]).toBeGreaterThan(ms - 5);
  }
  expect(total).toBe(6e5);
});
