import type { Complaint } from './oracle.ts';
import type { Played } from './play.ts';
import type { Seen } from './record.ts';

/** A retry does not come before its server wants it. */
function* judgeWaits({ of, seen }: Played): Iterable<Complaint> {
  // A client that has given up an attempt has not seen the answer.
  const { hedge, layer, attemptTimeoutMs, totalTimeoutMs } = of.parts;
  if ((hedge ?? layer ?? attemptTimeoutMs ?? totalTimeoutMs) !== undefined) return;
  for (const number of of.calls.keys()) {
    const own = seen.filter(({ call }) => call === number);
    for (const [at, one] of own.entries()) {
      const next = own[at + 1];
      const waitMs = Number(one.step.wait) * 1_000;
      if (next === undefined || one.served?.sent !== 'whole' || !(waitMs > 0)) continue;
      // Timers of Node may fire up to a millisecond early.
      if (next.atMs - one.atMs < waitMs - 1)
        yield {
          rule: 'too early',
          detail: `call ${number}: ${(next.atMs - one.atMs).toFixed(1)} ms after Retry-After: ${one.step.wait}`,
        };
    }
  }
}

/** A bucket of 4 tokens that gets one in a millisecond lets no more pass. */
function* judgeRate({ of, probe }: Played): Iterable<Complaint> {
  const { bucket, cost = 1, actualCost, layer, attemptTimeoutMs, hook, factory } = of.parts;
  if (bucket?.kind !== 'fast' || bucket.nonConforming === 'mark' || bucket.isPerKey) return;
  // What comes back: of a refused connection, and what a request has not cost.
  if (
    actualCost ||
    layer ||
    of.isRefused ||
    // An attempt that runs out of time in user code takes none.
    (attemptTimeoutMs !== undefined && (hook ?? factory) !== undefined) ||
    of.calls.some(({ script }) => script.some(({ do: does }) => does === 'redirect-dead'))
  )
    return;
  const sent = probe.events.filter(({ type }) => type === 'attempt').map(({ atMs }) => atMs);
  for (const [first, fromMs] of sent.entries()) {
    for (let last = first; last < sent.length; last += 1) {
      const most = 4 + ((sent[last] as number) - fromMs) + 2;
      if ((last - first + 1) * cost > most) {
        yield {
          rule: 'rate',
          detail: `${last - first + 1} attempts within ${((sent[last] as number) - fromMs).toFixed(1)} ms`,
        };
        return;
      }
    }
  }
}

const isBetween = (one: Seen, other: Seen): boolean =>
  other.atMs <= one.atMs && one.atMs < (other.served?.endMs ?? 0);

/** No more requests are under way than there are slots. */
function* judgeSlots({ of, seen, results }: Played): Iterable<Complaint> {
  const { concurrency, layer, hedge, hook, inspect, factory, attemptTimeoutMs, totalTimeoutMs, isResuming } =
    of.parts;
  if (concurrency === undefined || concurrency.isPerKey || layer || hedge || isResuming) return;
  // What user code sends with the slot of its call needs none of its own.
  if (hook?.does === 'calls' || inspect === 'calls' || factory === 'calls') return;
  // What a client has given up, a server may go on with.
  if ((attemptTimeoutMs ?? totalTimeoutMs) !== undefined) return;
  if (results.some(({ plan }) => !/^(all|late|clone)$/.test(plan.caller))) return;
  const whole = seen.filter(({ served, isWhole }) => isWhole && served?.sent === 'whole');
  for (const one of whole) {
    const open = whole.filter((other) => isBetween(one, other)).length;
    if (open > concurrency.max) {
      yield { rule: 'overrun', detail: `${open} requests at a time, with ${concurrency.max} slots` };
      return;
    }
  }
}

export function* judgePace(played: Played): Iterable<Complaint> {
  yield* judgeWaits(played);
  yield* judgeRate(played);
  yield* judgeSlots(played);
}
