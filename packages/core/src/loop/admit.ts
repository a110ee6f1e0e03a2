import { knowsAsyncContext } from '#around';
import { ThrottledError } from '../base/errors.ts';
import type { AcquireOptions } from './acquire.ts';
import { bounded } from './bounded.ts';
import { OutOfTime } from './bounds.ts';
import type { Entrant, Lack, UserCode } from './part.ts';

/** After so long a wait, signatures and deadlines in the headers are out of date, in milliseconds. */
const AGED_MS = 10_000;

/** After so long, the tokens that an attempt holds count for nothing, in milliseconds: several would be sent at once. */
const STALE_MS = 10;

/** A bucket serves its queue in a microtask after tokens have come back. What it grants then is known when this settles. */
const soon = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await undefined;
};

/** How long an attempt may wait: within `maxWaitMs` and the total timeout. */
function optionsOf(entrant: Entrant, signal: AbortSignal | undefined): AcquireOptions {
  const { policy, total, attempt, waitedMs, placeMs = 0 } = entrant;
  const { maxWaitMs = Number.POSITIVE_INFINITY, priority } = policy;
  const patienceMs = maxWaitMs - waitedMs;
  const totalMs = total?.leftMs ?? Number.POSITIVE_INFINITY;
  if (total !== undefined) entrant.isBoundByTotal = totalMs < patienceMs;
  const mostMs = Math.max(0, Math.min(totalMs, patienceMs));
  return {
    signal,
    maxWaitMs: mostMs === Number.POSITIVE_INFINITY ? undefined : mostMs,
    priority,
    ...entrant.whose,
    retry: attempt > 0,
    ...(placeMs > 0 && { waitedMs: placeMs }),
  };
}

/** A lack that resolves at once, and still lacks, would be asked for ever. */
const MOST_ROUNDS = 1_000;

/** Ends a wait with the signal and its deadline. What comes too late goes back. */
function watched(entrant: Entrant, waiting: Promise<number>, options: AcquireOptions): Promise<number> {
  const { policy, total, isBoundByTotal } = entrant;
  const { signal, maxWaitMs: leftMs = Number.POSITIVE_INFINITY } = options;
  const late = (): unknown =>
    total !== undefined && isBoundByTotal
      ? new OutOfTime(total.timeoutMs, true)
      : new ThrottledError('Not sent: its turn did not come in time', undefined, { reason: 'wait-too-long' });
  const giveBack = (): void => {
    for (const turn of entrant.turns) turn.leave?.(undefined);
  };
  return bounded(waiting, { clock: policy.clock, signal, leftMs, late }, giveBack);
}

async function wait(
  entrant: Entrant,
  dress: UserCode['dress'],
  signal: AbortSignal | undefined,
  lacking = entrant.take(),
): Promise<void> {
  let rounds = 0;
  for (let lack = lacking; lack !== undefined; lack = entrant.take()) {
    const options = optionsOf(entrant, signal);
    const waiting = lack.wait(options, entrant, dress);
    const tookMs = await (lack.endsItself === true ? waiting : watched(entrant, waiting, options));
    if (rounds > MOST_ROUNDS) throw new TypeError('a part still lacks what it has waited for 1,000 times');
    rounds += 1;
    const waitedMs = Math.max(0, tookMs - (entrant.placeMs ?? 0));
    entrant.waitedMs += waitedMs;
    if (lack.isSlot) entrant.slotMs = (entrant.slotMs ?? 0) + waitedMs;
  }
}

/** User code has outlasted what was taken. What must be fresh is changed in place, so that the attempt keeps its turn. */
async function renew(
  entrant: Entrant,
  dress: UserCode['dress'],
  signal: AbortSignal | undefined,
  heldMs: number,
): Promise<void> {
  if (heldMs > STALE_MS) {
    // In front of those that came in the same millisecond.
    entrant.placeMs = entrant.waitedMs + heldMs + 1;
    const again = entrant.turns.map((turn) => turn.renew?.(optionsOf(entrant, signal))).find(Boolean);
    if (again !== undefined) {
      let isRenewed = false;
      const renewed = again.then(() => {
        isRenewed = true;
      });
      await Promise.race([renewed, soon()]);
      // Holds no slot while it waits.
      if (!isRenewed) for (const turn of entrant.turns) turn.free?.();
      await renewed;
    }
  }
  await wait(entrant, dress, signal);
}

/**
 * Waits until an attempt has all that its parts take, or none of it. If that took long, the hooks make the headers anew. The body is
 * made with all of it held.
 *
 * @param lacking what is known to be lacking, if the parts have been asked
 * @throws the signal's own reason, OutOfTime, ThrottledError or HookError
 */
export async function admit(
  entrant: Entrant,
  code: UserCode,
  signal: AbortSignal | undefined,
  lacking: Lack | undefined,
): Promise<void> {
  try {
    await admitted(entrant, code, signal, lacking);
  } catch (error) {
    if (error instanceof ThrottledError) Object.assign(error, entrant.whose);
    throw error;
  }
  const { waitedMs: waitMs, slotMs = 0, grant, whose } = entrant;
  if (waitMs > 0)
    entrant.emit({ type: 'throttle', waitMs, slotMs, ...(grant?.unit && { unit: grant.unit }), ...whose });
}

async function admitted(
  entrant: Entrant,
  { dress, makeBody }: UserCode,
  signal: AbortSignal | undefined,
  lacking: Lack | undefined,
): Promise<void> {
  await wait(entrant, dress, signal, lacking);
  if (entrant.waitedMs > AGED_MS && dress !== undefined) {
    // Without async context a request of the hook would wait for this slot.
    if (!knowsAsyncContext()) for (const turn of entrant.turns) turn.free?.();
    // What it holds does not go back before that: those behind it would get it, and all hooks would be called at once.
    await renew(entrant, dress, signal, await dress());
  }
  if (makeBody === undefined) return;
  const heldMs = await makeBody();
  if (heldMs > STALE_MS) {
    if (signal?.aborted) throw signal.reason;
    await renew(entrant, dress, signal, heldMs);
  }
}
