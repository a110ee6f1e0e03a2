import { withSlots } from '#around';
import { HookError, ThrottledError } from '../base/errors.ts';
import { sleep } from '../base/sleep.ts';
import { admit } from './admit.ts';
import { abortOrStop, OutOfTime, stopped } from './bounds.ts';
import type { Entrant, Lack } from './part.ts';
import { dress, type MakeBody, settle } from './preparation.ts';
import type { StopReason } from './reason.ts';
import type { State } from './state.ts';

/**
 * What follows {@link ready}: the attempt is to be sent; or not, and the result of the one before is that of the request; or it is
 * to be judged as one that ran into `attemptTimeoutMs`, though it has not been sent.
 */
export type Readiness = boolean | OutOfTime;

/** What was done for an attempt before it turned out that it has to wait. */
interface Begun {
  lack?: Lack | undefined;
  /** The hooks, if they have been asked; `true` if they have answered. */
  dressing?: PromiseLike<void> | true | undefined;
}

/**
 * Prepares the next attempt, and waits until it may be sent: for the delay, then for `released` (the connection of the
 * attempt before), for the hooks that change its headers, for a slot and tokens, and for its body. While the hooks run
 * nothing is held; the body is made with the slot. After that the attempt must be sent in the same turn. Returns
 * `undefined` synchronously if there is nothing to wait for. The slot of the attempt before is released when `released`
 * settles.
 *
 * Resolves with `false` if the retry must not be sent, because its tokens or its slot cannot be had, the total timeout
 * has passed, or the policy has stopped. The result of the attempt before is then the result of the request, and its end has been reported.
 *
 * If the signal has aborted before the first attempt, the attempt is sent without tokens and slot, so that the client
 * fails in its own way.
 *
 * @param made the caller's signal, or what makes one, which is called only if there is something to wait for
 * @param makeBody makes the body of the attempt, if the user's code does that
 * @throws the signal's own reason when it aborts
 * @throws ThrottledError if the first attempt cannot get its slot or its tokens in time, or the policy has stopped
 * @throws OutOfTime if the total timeout passes before the first attempt
 * @throws HookError if a hook or `makeBody` fails
 */
export function ready(
  state: State,
  made?: AbortSignal | (() => AbortSignal),
  released?: Promise<void>,
  makeBody?: MakeBody,
): Promise<Readiness> | undefined {
  const { stopSignal } = state.policy;
  const signal = typeof made === 'function' ? undefined : made;
  const begun: Begun = {};
  try {
    if (state.attempt > 0) reset(state, released);
    else {
      state.beginTurns();
      if (signal?.aborted) return state.begin();
    }
    if (stopSignal?.aborted) throw stopped();
    if (state.delayMs === 0 && released === undefined && makeBody === undefined) {
      if (signal?.aborted) throw signal.reason;
      if (startsAtOnce(state, signal, begun)) return state.begin();
    }
  } catch (error) {
    return endUnsent(state, error, signal);
  }
  const own = typeof made === 'function' ? made() : made;
  if (stopSignal === undefined) return wait(state, own, released, makeBody, begun);
  const either = abortOrStop(own, stopSignal);
  return wait(state, either.signal, released, makeBody, begun).finally(either.forget);
}

/** Before an attempt that follows another. */
function reset(state: State, released: Promise<void> | undefined): void {
  for (const turn of state.turns) turn.free?.(released);
  state.bucket = undefined;
  state.grant = undefined;
  state.waitedMs = 0;
  if (state.slotMs !== undefined) state.slotMs = 0;
  if (state.placeMs !== undefined) state.placeMs = 0;
  if (state.pendingHeaders !== undefined) state.pendingHeaders = undefined;
  state.headerChanges = undefined;
  if (state.takenMs !== undefined) state.takenMs = 0;
}

/** Does what takes no time; returns true if that is all. */
function startsAtOnce(state: State, signal: AbortSignal | undefined, begun: Begun): boolean {
  if (state.dresses) {
    begun.dressing = dress(state);
    if (begun.dressing !== undefined) return false;
    begun.dressing = true;
    lookAgain(state, signal);
  }
  begun.lack = state.take();
  return begun.lack === undefined;
}

/** After a wait or user code: what was true before it need not be true any more. */
export function lookAgain(
  { policy, total }: Pick<Entrant, 'policy' | 'total'>,
  signal: AbortSignal | undefined,
): void {
  if (signal?.aborted) throw signal.reason;
  if (policy.stopSignal?.aborted) throw stopped();
  if (total !== undefined && total.leftMs < 0) throw new OutOfTime(total.timeoutMs, true);
}

async function wait(
  state: State,
  signal: AbortSignal | undefined,
  released: Promise<void> | undefined,
  makeBody: MakeBody | undefined,
  begun: Begun,
): Promise<Readiness> {
  const { dressing } = begun;
  // It is not waited for if the attempt ends before.
  if (dressing !== undefined && dressing !== true) dressing.then(undefined, () => undefined);
  try {
    if (state.delayMs > 0) await sleep(state.policy.clock, state.delayMs, signal);
    // Each `await` takes a turn of the microtasks, even of `undefined`.
    if (released !== undefined) await released;
    lookAgain(state, signal);
    if (state.turns.length > 0 || makeBody !== undefined || state.dresses) {
      await prepare(state, signal, makeBody, begun);
      // The signal may have aborted in the turn in which the tokens were granted.
      lookAgain(state, signal);
    }
    state.begin();
    return true;
  } catch (error) {
    if (!(error instanceof OutOfTime) || error.isTotal) return endUnsent(state, error, signal);
    state.leave(undefined);
    state.begin();
    return error;
  }
}

/** The hooks, slot and tokens, the body. User code runs while nothing is held, but for a body. */
async function prepare(
  state: State,
  signal: AbortSignal | undefined,
  make: MakeBody | undefined,
  { dressing, lack }: Begun,
): Promise<void> {
  const dressAgain = (): Promise<number> =>
    settle(state, () => withSlots(state.slots, () => dress(state)), signal);
  if (state.dresses && dressing !== true) await settle(state, () => dressing ?? dress(state), signal);
  const makeBody = make && (() => madeBody(state, make, signal));
  return admit(state, { dress: state.dresses ? dressAgain : undefined, makeBody }, signal, lack);
}

async function madeBody(state: State, make: MakeBody, signal: AbortSignal | undefined): Promise<number> {
  const { slots } = state;
  const body = { over: false };
  state.occupy(1);
  try {
    return await settle(
      state,
      () => (slots.length === 0 ? make(body) : withSlots(slots, () => make(body))),
      signal,
    );
  } finally {
    body.over = true;
    state.occupy(-1);
  }
}

/**
 * The end in front of an attempt: an abort, a hook that threw, or a limit that refuses. Returns `false` if the result of
 * the attempt before is the result of the request.
 */
async function endUnsent(state: State, error: unknown, signal: AbortSignal | undefined): Promise<false> {
  // Nothing was sent: what was taken goes back.
  state.leave(undefined);
  const { toRetry: outcome } = state;
  const why = error instanceof ThrottledError ? error.reason : undefined;
  const isAbort = signal?.aborted === true && error === signal.reason && why !== 'stopped';
  const isLost = isAbort || error instanceof HookError || outcome === undefined;
  let reason: StopReason = why === 'stopped' || why === 'overload' ? why : 'throttled';
  if (isAbort) reason = 'aborted';
  else if (error instanceof HookError) reason = 'final';
  // Refused by the total timeout.
  else if (error instanceof OutOfTime || (outcome && state.isBoundByTotal && why === 'wait-too-long'))
    reason = 'deadline-exceeded';
  if (!isLost) state.noteUnsent(reason);
  state.end(reason, { outcome, error });
  if (isLost) throw error;
  return false;
}
