import { mayBeLayered } from '#layers';
import { nextTurn } from '../base/clock.ts';
import { isPromise, NotSentError } from '../base/errors.ts';
import { sleep } from '../base/signals.ts';
import type { FollowUpload } from '../http/body.ts';
import { NO_LAYERS } from '../layers/layer.ts';
import { LayerPlace } from '../layers/place.ts';
import { asUserCode, type Call } from './call.ts';
import type { MakeBody } from './client.ts';
import { type AcquireOptions, fairKeyOf } from './contracts.ts';
import { bounded, endOf, OutOfTime, stopped } from './deadline.ts';
import { askHooks, headersNow } from './header-changes.ts';
import { endUnsent, type Skip } from './judge.ts';
import { insideOf } from './options.ts';
import type { Blocker } from './part.ts';
import { PartsOfCall } from './parts-of-call.ts';

/**
 * What follows {@link prepare}: the attempt is to be sent; or not, and the result of the one before is that of the request; or it is
 * to be judged as one that ran into `attemptTimeoutMs`, though it has not been sent.
 */
export type Readiness = boolean | OutOfTime;

/** Work done before the attempt had to wait. */
interface Preparation {
  blocker?: Blocker | undefined;
  /** The hooks, if they have been asked; `true` if they have returned. */
  hooks?: PromiseLike<void> | true | undefined;
}

/**
 * Prepares the next attempt, and waits until it may be sent: for the delay, then for `released` (the connection of the
 * attempt before), for the hooks that change its headers, for a slot and tokens, and for its body. While the hooks run
 * nothing is held; the body is made with the slot and the tokens. After that the attempt must be sent in the same turn. Returns
 * `undefined` synchronously if a first attempt has nothing to wait for. The slot of the attempt before is released when `released`
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
 * @param follow follows an upload that may fail meanwhile
 * @throws the signal's own reason when it aborts
 * @throws NotSentError if the first attempt cannot get its slot or its tokens in time, or the policy has stopped
 * @throws OutOfTime if the total timeout passes before the first attempt
 * @throws HookError if a hook or `makeBody` fails
 * @throws the error of an upload that fails meanwhile
 */
export function prepare(
  call: Call,
  made?: AbortSignal | (() => AbortSignal),
  released?: Promise<void>,
  makeBody?: MakeBody,
  follow?: FollowUpload,
): Promise<Readiness> | undefined {
  const { stopSignal } = call.policy;
  const signal = typeof made === 'function' ? undefined : made;
  const done: Preparation = {};
  try {
    if (call.attempt > 0) reset(call, released);
    else {
      beginParts(call);
      if (signal?.aborted) return begin(call);
    }
    if (stopSignal?.aborted) throw stopped();
    if (call.attempt === 0 && !makeBody && startsAtOnce(call, signal, done)) return begin(call);
  } catch (error) {
    return endUnsent(call, error, signal);
  }
  const own = typeof made === 'function' ? made() : made;
  if (!stopSignal && !follow) return wait(call, own, released, makeBody, done);
  const end = endOf(own, stopSignal, follow, call);
  return wait(call, end.signal, released, makeBody, done).finally(end.forget);
}

/** The attempt is about to be sent. @throws HookError if a function that returns the value of a header fails */
export function begin(call: Call): undefined {
  const { policy, parts, bodyHolder } = call;
  call.attempt += 1;
  const isWrapped = policy.wrapAttempt || parts?.wraps;
  // What runs below a call that holds a slot must find that out. Asked for each attempt: a layer may have been made meanwhile.
  if (bodyHolder || isWrapped || mayBeLayered(call.way)) {
    call.place ??= new LayerPlace(call.request, NO_LAYERS);
    call.place.enter(parts?.bucket, bodyHolder);
  }
  if (call.grant?.conforming === false) call.emit({ type: 'mark' });
  call.emit({ type: 'attempt' });
  if (call.pendingHeaders) call.headerChanges = headersNow(call.pendingHeaders);
}

/** Before anything is sent: a part whose key cannot be had must not cost a response later. */
export function beginParts(call: Call): void {
  const { policy, request } = call;
  const { fairKey } = policy;
  // Not only once it has to wait: a wrong key would fail under load alone.
  if (fairKey !== undefined) call.fairness = { fairKey: fairKeyOf(fairKey, request) };
  const { parts } = insideOf(policy);
  if (parts.length === 0) return;
  call.parts = new PartsOfCall(call);
  call.parts.begin(parts);
}

/** True if user code changes the headers of attempts. */
function hasHooks({ policy, parts }: Call): boolean {
  return (policy.beforeAttempt ?? policy.idempotencyKey) !== undefined || parts?.changesHeaders === true;
}

/** Before an attempt that follows another. */
function reset(call: Call, released: Promise<void> | undefined): void {
  call.parts?.again(released);
  call.headerChanges = undefined;
  forgetWaits(call);
}

/** Another chance waits, and asks the hooks, anew. */
function forgetWaits(call: Call): void {
  call.waitedMs = 0;
  if (call.slotMs) call.slotMs = 0;
  if (call.hookMs) call.hookMs = 0;
  if (call.pendingHeaders) call.pendingHeaders = undefined;
}

/** Does what takes no time; returns true if that is all. */
function startsAtOnce(call: Call, signal: AbortSignal | undefined, done: Preparation): boolean {
  if (hasHooks(call)) {
    done.hooks = askHooks(call);
    if (done.hooks) return false;
    done.hooks = true;
    lookAgain(call, signal);
  }
  done.blocker = call.parts?.take();
  return !done.blocker;
}

/** After a wait or user code: what was true before it need not be true any more. */
function lookAgain({ policy, deadline }: Call, signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw signal.reason;
  if (policy.stopSignal?.aborted) throw stopped();
  if (deadline && deadline.leftMs < 0) throw new OutOfTime(deadline.timeoutMs, true);
}

/** Prepares an attempt that has to wait. */
export async function wait(
  call: Call,
  signal: AbortSignal | undefined,
  released: Promise<void> | undefined,
  makeBody: MakeBody | undefined,
  { hooks, blocker }: Preparation,
): Promise<Readiness> {
  // Not waited for if the attempt ends before.
  if (hooks !== true) hooks?.then(undefined, () => undefined);
  try {
    for (let asked = hooks, lacking = blocker; ; asked = undefined, lacking = undefined) {
      if (call.delayMs > 0) await sleep(call.policy.clock, call.delayMs, signal);
      // Attempts that fail at once would keep timers, and so aborts, from their turn.
      else if (call.attempt > 0 || call.skipped) await nextTurn();
      // Each `await` takes a turn of the microtasks, even of `undefined`.
      if (released) await released;
      lookAgain(call, signal);
      if (asked !== true && hasHooks(call))
        await userCode(call, () => (isPromise(asked) ? asked : askHooks(call)), signal);
      if (call.parts && (await acquire(call, call.parts, signal, lacking))) continue;
      if (makeBody) await body(call, makeBody, signal);
      lookAgain(call, signal);
      begin(call);
      return true;
    }
  } catch (error) {
    if (!(error instanceof OutOfTime) || error.isTotal) return endUnsent(call, error, signal);
    call.parts?.leave(undefined);
    begin(call);
    return error;
  }
}

/** The body is made with slot and tokens. */
function body(call: Call, make: MakeBody, signal: AbortSignal | undefined): Promise<void> {
  const made = { over: false };
  return userCode(call, () => asUserCode(call, () => make(made)), signal).finally(() => {
    made.over = true;
  });
}

/**
 * Waits for user code, which cannot be stopped: it ends with the caller's signal, with the timeout of the attempt, whose time it takes,
 * and with the total timeout.
 *
 * @throws the signal's own reason when it aborts; OutOfTime; what the code throws
 */
async function userCode(
  call: Call,
  start: () => PromiseLike<void> | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { clock, attemptTimeoutMs = Infinity } = call.policy;
  const { hookMs = 0, deadline } = call;
  const beganMs = clock.now();
  const work = start();
  const ownMs = attemptTimeoutMs - hookMs;
  const totalMs = deadline?.leftMs ?? Infinity;
  const late = (): OutOfTime =>
    deadline && totalMs <= ownMs
      ? new OutOfTime(deadline.timeoutMs, true)
      : new OutOfTime(attemptTimeoutMs, false);
  if (work) await bounded(work, { clock, signal, leftMs: Math.min(ownMs, totalMs), late });
  call.hookMs = hookMs + clock.now() - beganMs;
  if (call.hookMs >= attemptTimeoutMs) throw new OutOfTime(attemptTimeoutMs, false);
}

/** A part that blocks again each time its wait ends would be asked forever. */
const MOST_ROUNDS = 1_000;

/**
 * Takes all that the parts ask for, or nothing: what is lacking is waited for while nothing is held.
 *
 * @param lacking what is known to be lacking, if the parts have been asked
 * @returns true if the chance is skipped: another one comes
 */
async function acquire(
  call: Call,
  parts: PartsOfCall,
  signal: AbortSignal | undefined,
  lacking = parts.take(),
): Promise<boolean> {
  let rounds = 0;
  for (let blocker = lacking; blocker; blocker = parts.take()) {
    if ('skip' in blocker) {
      (blocker as Skip).skip(call);
      forgetWaits(call);
      return true;
    }
    const options = waitOptions(call, signal);
    const waiting = blocker.wait(options);
    const brought = await (blocker.endsItself ? waiting : ended(call, blocker, waiting, options));
    const waitedMs = blocker.hold ? blocker.hold(brought) : (brought as number);
    if (rounds > MOST_ROUNDS) throw new TypeError('a part still lacks what it has waited for 1,000 times');
    rounds += 1;
    call.waitedMs += waitedMs;
    if (blocker.isForSlot) call.slotMs = (call.slotMs ?? 0) + waitedMs;
  }
  const { waitedMs: waitMs, slotMs = 0, grant, fairness } = call;
  if (waitMs > 0)
    call.emit({ type: 'wait', waitMs, slotMs, ...(grant?.unit && { unit: grant.unit }), ...fairness });
  return false;
}

/** How long an attempt may wait: within `maxWaitMs` and the total timeout. */
function waitOptions(call: Call, signal: AbortSignal | undefined): AcquireOptions {
  const { policy, deadline, attempt, waitedMs } = call;
  const { maxWaitMs = Infinity, priority } = policy;
  const patienceMs = maxWaitMs - waitedMs;
  const totalMs = deadline?.leftMs ?? Infinity;
  if (deadline) deadline.bindsWait = totalMs < patienceMs;
  const mostMs = Math.max(0, Math.min(totalMs, patienceMs));
  return {
    signal,
    maxWaitMs: mostMs === Infinity ? undefined : mostMs,
    priority,
    ...call.fairness,
    retry: attempt > 0,
  };
}

/** Ends a wait of a part with the signal and its deadline. What comes too late goes back. */
function ended(
  call: Call,
  blocker: Blocker,
  waiting: Promise<unknown>,
  options: AcquireOptions,
): Promise<unknown> {
  const { policy, deadline } = call;
  const { signal, maxWaitMs: leftMs = Infinity } = options;
  const late = (): unknown =>
    deadline?.bindsWait
      ? new OutOfTime(deadline.timeoutMs, true)
      : new NotSentError('Not sent: its turn did not come in time', undefined, { reason: 'wait-too-long' });
  return bounded(waiting, { clock: policy.clock, signal, leftMs, late }, (brought) => {
    blocker.hold?.(brought);
    call.parts?.leave(undefined);
  });
}
