import { noteFailure, otherRetriesOf } from '#layers';
import { HookError, isPromise, NotSentError } from '../base/errors.ts';
import type { Opened } from '../http/body.ts';
import { type Advice, type Outcome, type Responded, withJudgement } from '../http/outcome.ts';
import { type EndNews, isObserved } from '../news/emit.ts';
import type { StopReason } from '../news/events.ts';
import { asUserCode, type Call, namedTimeoutOf } from './call.ts';
import { bounded, isReasonOf, OutOfTime } from './deadline.ts';
import {
  backoffOf,
  type Decision,
  type DecisionInput,
  decideRetry,
  judgementOf,
  SUCCESS,
  stop,
  verdictOf,
} from './decide.ts';
import { record, recordOf } from './history.ts';
import type { Blocker } from './part.ts';

/** What an observer or a hook has aborted while its outcome was judged: its end is known. */
const ENDED: Decision = stop('aborted');

/** The outcome of an abort in the turn of a response, of which the limits have to hear. */
interface Heard {
  readonly heard?: Outcome;
}

/** @param seen the part of the settled value that the client reads */
export function abortedBy(error: unknown, seen: Outcome): Outcome {
  const aborted = { type: 'failure', kind: 'aborted', error } as const;
  return seen.type === 'response' ? Object.defineProperty(aborted, 'heard', { value: seen }) : aborted;
}

/**
 * Takes the outcome of an attempt, and returns whether and when to retry. After a decision not to retry the call is over.
 *
 * @param hasAnswer true if the last response that a retry followed can still be the result: it is if the total timeout
 *   ends this attempt, and then `fallsBack` is true
 * @throws HookError if a hook throws; the call is then over as well
 */
export function judge(call: Call, outcome: Outcome, hasAnswer = false): Decision {
  const { deadline } = call;
  try {
    if (deadline?.hasEnded(outcome)) {
      call.fallsBack = hasAnswer;
      return follow(call, stop('deadline-exceeded'), outcome);
    }
    call.parts?.leave((outcome as Heard).heard ?? outcome);
    if (call.hasEnded) return ENDED;
    return follow(call, call.isInner ? stop('left-to-outer-layer') : decided(call, outcome), outcome);
  } catch (error) {
    fail(call, outcome, error);
    throw error;
  }
}

function decided(call: Call, outcome: Outcome): Decision {
  const { policy, request, attempt, skipped, previousBackoffMs, deadline, key, grant, parts } = call;
  const verdict = verdictOf(policy, outcome, call);
  if (verdict === 'success') return SUCCESS;
  const given: DecisionInput = {
    request,
    attempt,
    skipped,
    previousBackoffMs,
    startedAtMs: deadline?.startedAtMs,
    cost: grant?.cost,
    isKeyed: key?.isOurs === true && key.isKept,
    isKeyLost: key?.isKept === false,
    // Its response is not set aside for a retry that is not sent.
    permit: (retry) => (policy.stopSignal?.aborted ? 'stopped' : parts?.permit(retry)),
  };
  return decideRetry(policy, given, outcome, verdict, policy.clock.now());
}

/**
 * Takes an outcome that a layer below has judged: there is no retry. The tokens stay spent, even after a refused connection, because
 * that layer may have sent before.
 */
export function pass(call: Call, outcome: Outcome): void {
  follow(call, stop('judged-by-inner-layer'), outcome);
}

/** Ends a call after a hook has failed that was to judge an outcome. */
export function fail(call: Call, outcome: Outcome, error: unknown): void {
  call.parts?.free();
  end(call, 'final', { outcome, error });
}

function follow(call: Call, decision: Decision, outcome: Outcome): Decision {
  if (call.hasEnded) return ENDED;
  const { attempt, place } = call;
  const { retry, reason } = decision;
  record(call.history, recordOf(attempt, call.delayMs, call.waitedMs, outcome, reason));
  if (!retry) {
    if (outcome.type === 'failure') call.parts?.free();
    // User code that has made this request need not be called again for it, if it was sent more than once.
    const wasRepeated = attempt > 1 || reason === 'judged-by-inner-layer';
    if (place && wasRepeated && reason !== 'success') noteFailure(place.layersFound);
    const fallsBack = call.fallsBack && outcome.type === 'failure';
    const why = judgementOf(outcome)?.cause;
    const news = why === undefined ? { outcome } : { outcome, error: why };
    end(call, reason, fallsBack ? { outcome: call.answered, error: outcome.error } : news);
    return decision;
  }
  const { delayMs, backoffMs } = decision;
  call.toRetry = outcome;
  if (call.deadline && outcome.type === 'response') call.answered = outcome;
  call.delayMs = delayMs;
  if (backoffMs === undefined) call.skipped = (call.skipped ?? 0) - 1;
  else call.previousBackoffMs = backoffMs;
  const other = attempt === 1 ? otherRetriesOf(call.request) : undefined;
  if (other) call.emit({ type: 'other-retries', ...other });
  if (call.hasEnded) return ENDED;
  call.emit({ type: 'retry', delayMs, reason, outcome });
  return decision;
}

/** Ends a call once, and tells all who want to know. */
function end(call: Call, reason: StopReason, news: EndNews): void {
  if (close(call, reason) && isObserved(call.policy.onEvent, 'end'))
    call.emit({ type: 'end', reason, ...news });
}

/** Ends a call for this layer, and if it is the outermost, for all. False if it has ended before. */
export function close(call: Call, reason: StopReason): boolean {
  if (call.hasEnded) return false;
  call.hasEnded = true;
  call.parts?.end(reason);
  if (!call.isInner) call.place?.close();
  return true;
}

/** True if parts look into the response. What a function returned is none, and has no status. */
export function reads({ parts }: Call, outcome: Outcome): outcome is Responded {
  return parts?.reads === true && outcome.type === 'response' && outcome.status !== 0;
}

/**
 * The outcome of an attempt with what the parts that read responses say of it.
 *
 * @param open opens the body; called only if a part asks for it
 * @param signal the caller's
 * @throws HookError if a part fails
 * @throws the signal's own reason when it aborts. `stopSignal` does not end it: the attempt is in flight until it is judged
 * @throws OutOfTime if the timeout of the attempt or of the call passes: the attempt is to be judged as one that ran into it
 */
export async function look(
  call: Call,
  outcome: Responded,
  open: () => Opened,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const { attempt, policy, endsAtMs, deadline } = call;
  // What reads must end with the call.
  const ended = endsAtMs === undefined ? undefined : new AbortController();
  const signals = [signal, ended?.signal].filter((one) => one !== undefined);
  const given = { attempt, open, signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0] };
  let said: Advice | undefined;
  for (const instance of call.parts?.all ?? []) {
    if (!instance.judge) continue;
    const reading = asUserCode(call, () => instance.judge?.(outcome, said, given));
    if (!isPromise(reading)) {
      said = reading ?? said;
      continue;
    }
    try {
      const { clock } = policy;
      const late = (): unknown => new OutOfTime(namedTimeoutOf(call), deadline?.bindsAttempt === true);
      const leftMs = (endsAtMs ?? Infinity) - clock.now();
      // A function that reads may never settle.
      const bound =
        endsAtMs === undefined && instance.endsItself
          ? reading
          : bounded(reading, { clock, signal, leftMs, late });
      said = (await bound) ?? said;
    } catch (error) {
      ended?.abort(error);
      throw error;
    }
  }
  return said ? withJudgement(outcome, said) : outcome;
}

/** True if a call has ended with what its upload failed with before it was sent. */
export function isUploadError({ uploadError }: Call, error: unknown): boolean {
  return uploadError !== undefined && error === uploadError;
}

/**
 * The end in front of an attempt: an abort, a hook that threw, or a limit that refuses. Returns `false` if the result of
 * the attempt before is the result of the request.
 */
export async function endUnsent(call: Call, error: unknown, signal: AbortSignal | undefined): Promise<false> {
  // Nothing was sent: what was taken goes back.
  call.parts?.leave(undefined);
  const { toRetry: outcome, deadline, history } = call;
  const isRefused = error instanceof NotSentError;
  const why = isRefused ? error.reason : undefined;
  if (isRefused) Object.assign(error, call.fairness);
  const isAbort = isReasonOf(signal, error) && why !== 'stopped';
  const isFault = error instanceof HookError || isUploadError(call, error);
  const isLost = isAbort || isFault || !outcome;
  let reason: StopReason = why === 'stopped' || why === 'overload' ? why : 'limited';
  if (isFault) reason = 'final';
  else if (isAbort) reason = 'aborted';
  // Refused by the total timeout.
  else if (error instanceof OutOfTime || (outcome && deadline?.bindsWait && why === 'wait-too-long'))
    reason = 'deadline-exceeded';
  const last = isLost ? undefined : history.pop();
  // The retry that followed it is not sent.
  if (last) history.push({ ...last, reason });
  end(call, reason, { outcome, error });
  if (isLost) throw error;
  return false;
}

/**
 * `acquire` returns it to skip the attempt: other parts give back what they took, and the next chance comes after the next
 * backoff, counted as a retry. Without a next one the call ends with the answer that was there, else with a `NotSentError`
 * (`overload`).
 */
export const SKIP: Blocker = /* @__PURE__ */ skipping(nextChance);

/** As {@link SKIP}, but the call has no other chance. */
export const SKIP_AND_END: Blocker = /* @__PURE__ */ skipping(() => undefined);

/** A blocker that is not waited for. */
export interface Skip extends Blocker {
  /** Sets the delay before the next chance. @throws NotSentError if there is none */
  skip(call: Call): void;
}

function skipping(next: typeof nextChance): Blocker {
  return { skip: (call: Call) => skipped(call, next) } as Partial<Skip> as Skip;
}

function skipped(call: Call, next: typeof nextChance): void {
  const { attempt, delayMs: beforeMs, waitedMs } = call;
  call.parts?.skip();
  const delayMs = next(call);
  const reason = delayMs === undefined ? 'overload' : 'skipped';
  record(call.history, { attempt: attempt + 1, delayMs: beforeMs, waitedMs, reason });
  call.emit({ type: 'skip', delayMs });
  if (delayMs === undefined)
    throw new NotSentError('Not sent: too little succeeds', undefined, { reason: 'overload' });
  call.delayMs = delayMs;
}

/**
 * The delay before the next chance, in milliseconds; `undefined` if there is none. Nothing was sent, so idempotency does not matter
 * here. A chance counts as a retry, so that `maxRetries` and `totalTimeoutMs` bound the call as ever.
 */
function nextChance(call: Call): number | undefined {
  const { policy, request, deadline, attempt, previousBackoffMs: previousDelayMs } = call;
  call.skipped = (call.skipped ?? 0) + 1;
  const retry = attempt + call.skipped;
  if (retry > policy.maxRetries) return undefined;
  const delayMs = backoffOf(policy, { retry, previousDelayMs, random: policy.random, request });
  if (delayMs === undefined || (deadline && delayMs > deadline.leftMs)) return undefined;
  call.previousBackoffMs = delayMs;
  return attempt > 0 && call.parts?.permit({ reason: 'refused', delayMs }) !== undefined
    ? undefined
    : delayMs;
}
