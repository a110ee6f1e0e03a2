import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../../test/runs.ts';
import { responds, to } from '../../../test/asks.ts';
import { type StepOf, step } from '../../../test/histories.ts';
import { type VirtualClock, virtualClock } from '../../testing.ts';
import { tokenBucket } from './token-bucket.ts';

const QUOTA = { refillPerSecond: 10, capacity: 5 };
const HOSTS = ['a', 'b', 'c'];
const requestTo = (host: string) => to(`https://${host}.test/`);

const host = fc.constantFrom(...HOSTS);
const steps = fc.oneof(
  step(5, 'ask', { host, retry: fc.boolean() }),
  step(1, 'pause', { host, ms: fc.integer({ min: 1, max: 3_000 }) }),
  step(2, 'pass', { ms: fc.nat(500) }),
  step(1, 'give back', {}),
);
type Step = StepOf<typeof steps>;

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
async function play(history: readonly Step[], clock: VirtualClock) {
  const bucket = tokenBucket({ ...QUOTA, clock, random: () => 0 });
  const [sent, pauses]: [Departure[], Pause[]] = [[], []];
  let asks = 0;
  for (const one of history) {
    if (one.kind === 'pass') await clock.advance(one.ms);
    else if (one.kind === 'give back') bucket.tryAcquire()?.settle(0);
    else if (one.kind === 'ask') {
      const { host, retry } = one;
      const [asked, askedMs] = [asks, clock.now()];
      asks += 1;
      const grant = bucket.acquire({ request: requestTo(host), retry });
      void grant.then(({ grantedAtMs: atMs }) => sent.push({ host, atMs, asked, askedMs, retry }));
    } else {
      const fromMs = clock.now();
      const grant = { cost: 1, waitedMs: 0, grantedAtMs: fromMs, conforming: true, settle: () => undefined };
      bucket.observe?.(responds(503, { 'retry-after-ms': `${one.ms}` }), grant, requestTo(one.host));
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
    fc.asyncProperty(fc.array(steps, { maxLength: 60, size: 'max' }), async (history) => {
      const { sent, pauses, asks, bucket } = await play(history, virtualClock({ startMs: 0 }));
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
    { numRuns: runs(300) },
  );
});
