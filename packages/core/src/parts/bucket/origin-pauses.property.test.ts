import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { tokenBucket } from './token-bucket.ts';

const QUOTA = { refillPerSecond: 10, capacity: 5 };
const HOSTS = ['a', 'b', 'c'];
const to = (host: string) => {
  return { method: 'GET', url: `https://${host}.test/`, replayable: true, header: () => undefined };
};

const host = fc.constantFrom(...HOSTS);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('ask' as const), host, retry: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('pause' as const),
      host,
      ms: fc.integer({ min: 1, max: 3_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pass' as const), ms: fc.nat(500) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('give back' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Departure {
  readonly host: string;
  readonly atMs: number;
  readonly asked: number;
  readonly askedMs: number;
  readonly retry: boolean;
}

interface Pause {
  readonly host: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Asks for tokens, and pauses origins, as the steps say. Returns what was sent, and the pauses. */
async function play(steps: readonly Step[], clock: VirtualClock) {
  const bucket = tokenBucket({ ...QUOTA, clock, random: () => 0 });
  const [sent, pauses]: [Departure[], Pause[]] = [[], []];
  let asks = 0;
  for (const one of steps) {
    if (one.does === 'pass') await clock.advance(one.ms);
    else if (one.does === 'give back') bucket.tryAcquire()?.settle(0);
    else if (one.does === 'ask') {
      const { host, retry } = one;
      const [asked, askedMs] = [asks, clock.now()];
      asks += 1;
      const grant = bucket.acquire({ request: to(host), retry });
      void grant.then(({ grantedAtMs: atMs }) => sent.push({ host, atMs, asked, askedMs, retry }));
    } else {
      const [fromMs, header] = [
        clock.now(),
        (name: string) => (name === 'retry-after-ms' ? `${one.ms}` : undefined),
      ];
      const grant = { cost: 1, waitedMs: 0, grantedAtMs: fromMs, conforming: true, settle: () => undefined };
      bucket.observe?.({ type: 'response', status: 503, header }, grant, to(one.host));
      pauses.push({ host: one.host, fromMs, untilMs: fromMs + one.ms });
    }
  }
  await clock.advance(1e6);
  return { sent, pauses, asks, bucket };
}

/** The most that were sent in any window, beyond what comes in during it. */
function burst(sent: readonly Departure[]): number {
  let most = 0;
  sent.forEach(({ atMs: fromMs }, first) => {
    sent.slice(first).forEach(({ atMs }, more) => {
      most = Math.max(most, more + 1 - ((atMs - fromMs) * QUOTA.refillPerSecond) / 1_000);
    });
  });
  return most;
}

test('no request of a paused origin is sent before the end, then they are from empty; each is sent once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const { sent, pauses, asks, bucket } = await play(steps, virtualClock({ startMs: 0 }));
      expect(sent.map(({ asked }) => asked).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: asks }, (_, at) => at),
      );
      expect(bucket.stats()).toMatchObject({ waiting: 0, idle: true });
      expect(burst(sent)).toBeLessThanOrEqual(QUOTA.capacity + 1e-6);
      for (const { host, fromMs, untilMs } of pauses) {
        const own = sent.filter((one) => one.host === host);
        expect(own.filter(({ atMs }) => atMs > fromMs && atMs < untilMs - 1e-3)).toEqual([]);
        own
          .filter(({ atMs }) => atMs > untilMs)
          .forEach(({ atMs }, before) => {
            expect(before + 1).toBeLessThanOrEqual(((atMs - untilMs) * QUOTA.refillPerSecond) / 1_000 + 1e-6);
          });
      }
      for (const host of HOSTS) {
        for (const isRetry of [true, false]) {
          const own = sent.filter((one) => one.host === host && one.retry === isRetry);
          expect(own).toEqual(own.toSorted((a, b) => a.askedMs - b.askedMs));
        }
      }
    }),
    { numRuns: 300 },
  );
});
