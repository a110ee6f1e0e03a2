import { mayNest, needsContext, nestedRetriesOf } from '#nested';
import { nextTurn } from '../base/clock.ts';
import { callQuietly, HookError, isPromise, NotSentError, reportRejection } from '../base/errors.ts';
import { sleep } from '../base/signals.ts';
import { emit, isObserved } from '../events/emit.ts';
import type { Attempt, EndFields, EventFields, ReportedRequest, StopReason } from '../events/events.ts';
import type { OpenedBody } from '../http/body.ts';
import type { Outcome, ReadFeedback, RequestTraits, ResponseOutcome } from '../http/outcome.ts';
import { type AroundCalls, isSame, type OuterCall, type Way } from '../nested/outer-call.ts';
import type { CallView, PlannedRetry, WhenBodyEnds } from '../policy/call-view.ts';
import type { AcquireOptions, BucketMethods, Grant } from '../policy/contracts.ts';
import { fairKeyOf } from '../policy/cost.ts';
import type { HeaderChanges, KeptKey, SentHeaders } from '../policy/hooks.ts';
import type { Permit, Skip, Wait } from '../policy/limit.ts';
import { POLICY, type Policy } from '../policy/options.ts';
import {
  Deadline,
  endingOf,
  isReasonOf,
  lateBy,
  OutOfTime,
  stopError,
  type WaitSignal,
  withinBounds,
} from './deadline.ts';
import { type Decision, decideRetry, verdictOf } from './decide.ts';
import { headerChangesOf, headersNow, keyOf } from './header-changes.ts';
import { type HistoryRecord, isOfCall, record, recordOf, successOf } from './history.ts';
import { Inspection } from './inspection.ts';
import { type Permits, startLimit } from './permits.ts';
import type { CallClient, CallStep, EndStep, MakeBody, WaitStep } from './types.ts';
import { asUserCode } from './user-code.ts';

const TO_SEND: CallStep = { do: 'send' };
const TO_RETRY: CallStep = { do: 'retry' };
const SUCCEEDED: EndStep = { do: 'end', reason: 'success' };
const NO_CLIENT: CallClient = {};
const NO_ATTEMPTS: readonly Attempt[] = [];

/** The phases before an attempt is sent, in their order. The first attempt has no delay. */
const [START, DELAY, CONNECTION, HOOKS, LIMITS, BODY, SEND] = [0, 1, 2, 3, 4, 5, 6] as const;
type Phase = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** The most waits of an attempt, and the most skips of a call: against a limit that lacks something again each time. */
const MOST_WAITS = 1_000;

/** The outcome of an abort in the turn of a response, of which the limits have to hear. */
interface LateOutcome {
  readonly heard?: Outcome;
}

/** @param seen the part of the settled value that the client reads */
export function abortedBy(error: unknown, seen: Outcome): Outcome {
  const aborted = { type: 'failure', kind: 'aborted', error } as const;
  return seen.type === 'response' ? Object.defineProperty(aborted, 'heard', { value: seen }) : aborted;
}

/** True for the response of a first attempt that had nothing to wait for. All with one status share a history. */
function isFirstAnswer({ attempt, waitedMs, skipped }: Call, outcome: Outcome): outcome is ResponseOutcome {
  return attempt === 1 && waitedMs === 0 && !skipped && outcome.type === 'response' && outcome.status > 0;
}

/** True if a call has ended with the error of its upload, before the upload was sent. */
export function isUploadError({ uploadError }: Call, error: unknown): boolean {
  return uploadError !== undefined && error === uploadError;
}

/**
 * A request on its way through its policy, as a state machine without I/O: a driver sends and waits, and reports the results.
 * Read the class from top to bottom: {@link next} until an attempt may be sent, {@link ended} once the attempt has an outcome,
 * and so on until the end. After the end each method returns the `end` step, so that nothing can be sent.
 */
export class Call implements CallView, OuterCall {
  // Middleware may replace these before it lets the call go on, and a plugin the history at the end.
  policy: Policy;
  request: RequestTraits;
  /** The kind of client that sends its attempts. */
  readonly way: Way;
  readonly deadline: Deadline | undefined;
  /** The call around it, if there is one. */
  readonly outer: OuterCall | undefined;
  /** True if that sends the same request, and retries it: this one sends once. */
  readonly isInner: boolean;
  /** The caller's. */
  signal: AbortSignal | undefined;
  client: CallClient = NO_CLIENT;
  /** The attempt in flight, from 1; 0 before the first. */
  attempt = 0;
  /** The delay before the next attempt, in milliseconds. */
  delayMs = 0;
  /** How long the attempt has waited for its limits, in milliseconds. */
  waitedMs = 0;
  /** `undefined` for a policy without limits, and before the start. */
  permits: Permits | undefined;
  /** The judged attempts, and the scheduled attempts that were skipped. */
  history: readonly Attempt[] = NO_ATTEMPTS;
  /** How it has ended. */
  #end: EndStep | undefined;
  /** The next phase before an attempt is sent. */
  #phase: Phase = START;
  /** Middleware may set it. */
  declare moves?: boolean;
  // Only requests with limits, hooks, waits, timeouts or retries need these: `declare` keeps them out of the others.
  /** Takes the result of the wait under way. */
  declare private keep?: ((brought: never) => void) | undefined;
  /** Notes of limits about the attempt. See {@link CallView}. */
  declare bucket: BucketMethods | undefined;
  declare grant: Grant | undefined;
  declare bodyHolder: object | undefined;
  declare meteredGrant?: Grant | undefined;
  /** The outcome that the planned retry follows. */
  declare toRetry: Outcome | undefined;
  /** The last response that a retry followed, if the total timeout may end a later attempt. */
  declare answered?: Outcome | undefined;
  /** The headers that the attempt changes; `undefined` for none. Known once it is sent. */
  declare headerChanges: SentHeaders | undefined;
  /** The header changes that hooks have returned for the next attempt. */
  declare pendingHeaders?: HeaderChanges | undefined;
  declare key?: KeptKey | undefined;
  /** How long hooks and the body factory have taken for this attempt, and how long it has waited for its slot, in milliseconds. */
  declare hookMs?: number;
  declare slotMs?: number;
  /** The last delay that the backoff rule has returned, in milliseconds. */
  declare previousBackoffMs: number | undefined;
  /** How many scheduled attempts limits have skipped. */
  declare skipped?: number;
  /** True if an attempt was sent again at once, which counts as no retry. */
  declare wasAtOnce?: boolean;
  /** How many plugins were told of its start, and are told of its end. */
  declare private startedPlugins?: number;
  /** How often the attempt has waited for limits. */
  declare private waits?: number;
  /** The key (tenant) of the request, if it has one. */
  declare fairness?: { readonly fairKey: string };
  /** When the attempt runs into its timeout, or that of the call, if its response is inspected. */
  declare endsAtMs?: number;
  declare reported?: ReportedRequest;
  /** The error of its upload, if that failed before it was sent. */
  declare uploadError?: unknown;
  /** When the connection of the last attempt is free. */
  declare private connection?: Promise<void> | undefined;
  /** Ends the waits of an attempt early. */
  declare private ending?: WaitSignal | undefined;
  /** The caller's abort, in a client whose requests have no signal. */
  declare private abort?: AbortController | undefined;
  declare private inspection?: Inspection | undefined;
  /** The bucket of the last attempt, which has paid for requests that this still sends after its timeout. */
  declare private lastBucket?: BucketMethods;
  /** The attempt of the outer call in which this one was made. */
  declare private outerAttempt?: number;
  /** See {@link OuterCall}. */
  declare paidBuckets?: Set<object>;
  declare hasFailed?: boolean;

  /**
   * @param outer the call around it
   * @param isInner true if that sends the same request
   */
  constructor(
    policy: Policy,
    request: RequestTraits,
    outer?: OuterCall,
    way: Way = 'client',
    isInner: boolean = outer?.sends(request) === true,
  ) {
    this.policy = policy;
    this.request = request;
    this.way = way;
    // Perf: no clock is read without a total timeout. Reading one takes as long as half of the rest.
    const { totalTimeoutMs, clock } = policy;
    this.deadline = totalTimeoutMs === undefined ? undefined : new Deadline(totalTimeoutMs, clock);
    this.outer = outer;
    this.isInner = isInner;
    if (outer) this.outerAttempt = outer.attempt;
  }

  // 1. Before an attempt.

  /**
   * Returns the next step: before the first attempt, after {@link released}, and after each wait.
   *
   * @param brought the result of the wait
   */
  next(brought?: unknown): CallStep {
    const { keep } = this;
    if (keep) this.keep = undefined;
    try {
      keep?.(brought as never);
      if (this.#end === undefined) return this.inspection ? this.#inspect(this.inspection) : this.#prepare();
    } catch (error) {
      return this.stopped(error);
    }
    // The caller has aborted meanwhile.
    if (keep) this.permits?.cancel();
    this.permits?.skip();
    return this.#end;
  }

  #prepare(): CallStep {
    const isFirst = this.#phase === START;
    if (isFirst) {
      this.start();
      // The client names its own mistakes first, and then the abort.
      if (this.signal?.aborted) return this.#send();
    }
    this.#check(isFirst);
    let step: CallStep | undefined;
    while (step === undefined && this.#phase < SEND) step = this.#nextPhase();
    return step ?? this.#send();
  }

  /** Runs the next phase, and returns its wait, if there is one. */
  #nextPhase(): CallStep | undefined {
    switch (this.#phase) {
      case DELAY:
        this.#phase = CONNECTION;
        return this.#delay();
      case CONNECTION:
        this.#phase = HOOKS;
        return this.#untilFree();
      case HOOKS:
        this.#phase = LIMITS;
        return this.policy[POLICY].hasHeaderHooks ? this.#untilAsked() : undefined;
      case LIMITS:
        return this.#take();
      default:
        this.#phase = SEND;
        return this.client.makeBody && this.#make(this.client.makeBody);
    }
  }

  /** Starts the limits and plugins of the policy. Done before anything is sent: a failing key function must not cost a response later. */
  start(): void {
    this.#phase = HOOKS;
    const { policy, request } = this;
    const { fairKey } = policy;
    // Read even if the request does not wait: otherwise a wrong key would fail under load alone.
    if (fairKey !== undefined) this.fairness = { fairKey: fairKeyOf(fairKey, request) };
    const { limits, plugins } = policy[POLICY];
    for (const limit of limits) startLimit(this, limit);
    for (const plugin of plugins) {
      const started: unknown = plugin.started?.(this);
      if (started !== undefined) reportRejection(plugin.name, plugin, started);
      this.startedPlugins = (this.startedPlugins ?? 0) + 1;
    }
  }

  /** Checked again after each wait, and after user code has run. @throws why nothing may be sent */
  #check(isFirst = false): void {
    const { signal, policy, deadline, ending } = this;
    if (signal?.aborted) throw signal.reason;
    if (policy.stopSignal?.aborted) throw stopError();
    if (ending?.signal.aborted) throw ending.signal.reason;
    if (isFirst) return;
    if (deadline && deadline.leftMs < 0) throw deadline.late();
    const { attemptTimeoutMs } = policy;
    if (attemptTimeoutMs !== undefined && (this.hookMs ?? 0) >= attemptTimeoutMs)
      throw new OutOfTime(attemptTimeoutMs, false);
  }

  #delay(): CallStep {
    const { delayMs, policy } = this;
    // Its upload may fail in the next turn.
    if (this.client.followUpload) this.#waitSignal();
    // Attempts that fail at once would keep timers, and so aborts, from their turn.
    const until = delayMs > 0 ? sleep(policy.clock, delayMs, this.#waitSignal()) : nextTurn();
    return { do: 'wait', until };
  }

  #untilFree(): CallStep | undefined {
    const { connection } = this;
    if (!connection) return undefined;
    this.connection = undefined;
    // The client ends it in bounded time, and with the caller's signal.
    return { do: 'wait', until: connection };
  }

  // A method apart: what a closure captures is allocated at each call of the function around it.
  #untilAsked(): CallStep | undefined {
    return this.#userCode(() => this.askHooks());
  }

  /** Asks the hooks for the headers of the next attempt, once for each. Returns a promise if they return one. @throws HookError */
  askHooks(): PromiseLike<void> | undefined {
    const { policy, request, deadline } = this;
    const attempt = this.attempt + 1;
    if (!this.isInner) this.key ??= keyOf(policy, request);
    const next = { attempt, request, previous: this.toRetry, leftMs: deadline?.leftMs };
    const made = asUserCode(this, () => headerChangesOf(policy, next, this.key, this));
    if (isPromise(made))
      return made.then((changes) => {
        // The hooks of an attempt that has timed out return too late.
        if (attempt === this.attempt + 1) this.pendingHeaders = changes;
      });
    this.pendingHeaders = made;
    return undefined;
  }

  /** Acquires all limits or none. Holds nothing while it waits for a limit. */
  #take(): CallStep | undefined {
    const { permits } = this;
    const lacking = permits?.take();
    if (permits && lacking)
      return 'skip' in lacking ? this.#skip(lacking, permits) : this.#waitFor(lacking, permits);
    this.#phase = BODY;
    const { waitedMs, slotMs = 0, grant, fairness } = this;
    if (waitedMs === 0) return undefined;
    this.emit({ type: 'wait', waitedMs, slotMs, ...(grant?.unit && { unit: grant.unit }), ...fairness });
    this.#check();
    return undefined;
  }

  #waitFor(wait: Wait, permits: Permits): WaitStep {
    const { policy, deadline, waitedMs, attempt } = this;
    const { maxWaitMs = Infinity, priority, clock } = policy;
    this.waits = (this.waits ?? 0) + 1;
    if (this.waits > MOST_WAITS)
      throw new TypeError('a limit still lacks what it has waited for 1,000 times');
    const patienceMs = maxWaitMs - waitedMs;
    const totalMs = deadline?.leftMs ?? Infinity;
    if (deadline) deadline.bindsWait = totalMs < patienceMs;
    const leftMs = Math.max(0, Math.min(totalMs, patienceMs));
    const options: AcquireOptions = {
      signal: this.#waitSignal(),
      maxWaitMs: leftMs === Infinity ? undefined : leftMs,
      priority,
      ...this.fairness,
      retry: attempt > 0,
    };
    const beganMs = clock.now();
    this.keep = (permit: Permit): void => {
      permits.hold(permit);
      const tookMs = permit.waitedMs ?? Math.max(0, clock.now() - beganMs);
      this.waitedMs += tookMs;
      if (wait.isForSlot) this.slotMs = (this.slotMs ?? 0) + tookMs;
    };
    const waiting = wait.acquire(options);
    if (wait.endsItself) return { do: 'wait', until: waiting };
    const late = (): unknown =>
      deadline?.bindsWait
        ? deadline.late()
        : new NotSentError('Not sent: its turn did not come in time', undefined, { reason: 'wait-too-long' });
    return this.#until(waiting, leftMs, late, (permit) => {
      callQuietly('limits', wait, () => permit.cancel());
      callQuietly('limits', wait, () => permit.lapse?.());
    });
  }

  /**
   * A limit skips the scheduled attempt: others get back what they gave, and the next one comes when the limit says.
   *
   * @throws NotSentError (`overload`) if there is none; the call ends with the answer that was there, if there is one
   */
  #skip({ delayMs }: Skip, permits: Permits): CallStep {
    const { attempt, delayMs: beforeMs, waitedMs, deadline } = this;
    permits.skip();
    this.skipped = (this.skipped ?? 0) + 1;
    if (this.skipped >= MOST_WAITS || (deadline && Number(delayMs) > deadline.leftMs)) delayMs = undefined;
    // A retry is planned again.
    if (delayMs !== undefined && attempt > 0 && permits.planRetry({ reason: 'refused', delayMs }))
      delayMs = undefined;
    const reason = delayMs === undefined ? 'overload' : 'skipped';
    this.note({ attempt: attempt + 1, delayMs: beforeMs, waitedMs, reason });
    this.emit({ type: 'attempt-skipped', delayMs });
    if (delayMs === undefined)
      throw new NotSentError('Not sent: too little succeeds', undefined, { reason: 'overload' });
    this.delayMs = delayMs;
    this.#again();
    return this.#prepare();
  }

  /** The body is made with slot and tokens. */
  #make(make: MakeBody): CallStep | undefined {
    const made = { over: false };
    const over = (): void => {
      made.over = true;
    };
    return this.#userCode(() => asUserCode(this, () => make(made)), over);
  }

  #send(): CallStep {
    this.#forgetWaits();
    this.#begin();
    return TO_SEND;
  }

  /** The attempt is about to be sent. @throws HookError if a function that returns the value of a header fails */
  #begin(): void {
    this.attempt += 1;
    if (this.hasFailed) this.hasFailed = false;
    if (this.bucket) this.lastBucket = this.bucket;
    if (this.way === 'function' && this.bucket) this.paidBuckets = new Set([this.bucket]);
    if (this.grant?.conforming === false) this.emit({ type: 'mark' });
    if (isObserved(this.policy[POLICY].onEvent, 'attempt')) this.emit({ type: 'attempt' });
    if (this.pendingHeaders) this.headerChanges = headersNow(this.pendingHeaders);
  }

  // 2. The attempt has ended.

  /**
   * The attempt has an outcome.
   *
   * @param open opens the body of its response; called only if {@link inspects}
   */
  ended(outcome: Outcome, open?: () => OpenedBody): CallStep {
    if (this.#end) return this.#end;
    if (this.inspection) this.inspection = undefined;
    // The result of a function is no response, and has no status.
    if (open && outcome.type === 'response' && outcome.status !== 0 && this.inspects) {
      this.inspection = new Inspection(this, outcome, open, this.#callerSignal());
      return this.next();
    }
    return this.#judge(outcome);
  }

  /**
   * True if the attempt has failed with a request within it that was sent more than once. A function may hide the error of the request:
   * any failure of it counts. Others need not have failed for it: a client below may send what it likes.
   */
  hasFailedWith(error: unknown): boolean {
    return this.hasFailed === true && (this.way === 'function' || isOfCall(error));
  }

  /** The attempt has failed with a request that was repeated: it is not made again. The tokens stay spent. */
  judgedWithin(outcome: Outcome): CallStep {
    if (this.#end) return this.#end;
    this.permits?.release();
    return this.#stop('inner-client-retried', outcome);
  }

  #inspect(inspection: Inspection): CallStep {
    const wait = inspection.next();
    if (wait) {
      this.keep = inspection.keep;
      return wait;
    }
    this.inspection = undefined;
    return this.#judge(inspection.judged);
  }

  #judge(outcome: Outcome): CallStep {
    try {
      const failed = this.permits?.settle((outcome as LateOutcome).heard ?? outcome);
      if (this.#end) return this.#end;
      if (failed) throw failed.error;
      const { deadline, answered } = this;
      if (deadline?.hasEnded(outcome))
        return this.#stop('deadline-exceeded', outcome, answered !== undefined);
      if (this.isInner) return this.#stop('outer-client-retries', outcome);
      let judged = outcome;
      // They may know more of a failure than the client does.
      if (judged.type === 'failure')
        for (const plugin of this.policy[POLICY].plugins) judged = plugin.failed?.(judged, this) ?? judged;
      const verdict = verdictOf(this.policy, judged, this);
      if (verdict === 'success') return this.#stop('success', judged);
      const decision = this.#decide(judged, verdict);
      return decision.retry ? this.#plan(decision, judged) : this.#stop(decision.reason, judged);
    } catch (error) {
      return this.#fail(outcome, error);
    }
  }

  #decide(outcome: Outcome, verdict: 'refused' | 'transient' | 'final'): Decision {
    const { policy, request, attempt, skipped, wasAtOnce, previousBackoffMs, deadline, key, grant } = this;
    const given = {
      ...{ request, attempt, skipped, wasAtOnce, previousBackoffMs, startedAtMs: deadline?.startedAtMs },
      cost: grant?.cost,
      key,
      // Its response is not set aside for a retry that is not sent.
      permit: (retry: PlannedRetry) =>
        policy.stopSignal?.aborted ? ('stopped' as const) : this.permits?.planRetry(retry),
    };
    return decideRetry(policy, given, outcome, verdict, policy.clock.now());
  }

  #plan({ delayMs, backoffMs, reason }: Decision & { readonly retry: true }, outcome: Outcome): CallStep {
    const { attempt, waitedMs, delayMs: beforeMs } = this;
    this.note(recordOf(attempt, beforeMs, waitedMs, outcome, reason));
    this.toRetry = outcome;
    if (this.deadline && outcome.type === 'response') this.answered = outcome;
    this.delayMs = delayMs;
    if (backoffMs === undefined) this.wasAtOnce = true;
    else this.previousBackoffMs = backoffMs;
    const other = attempt === 1 ? nestedRetriesOf(this.request) : undefined;
    if (other) this.emit({ type: 'nested-retries', ...other });
    if (this.#end) return this.#end;
    this.emit({ type: 'retry', delayMs, reason, outcome });
    return this.#end ?? TO_RETRY;
  }

  /** The connection of the last attempt is free. @param once when it will be; now if it is left out */
  released(once?: Promise<void>): void {
    this.permits?.release(once);
    if (this.#end) return;
    this.bucket = undefined;
    this.grant = undefined;
    this.headerChanges = undefined;
    this.connection = once;
    this.#again();
  }

  /** The next attempt has its own delay, hooks, permits and body. */
  #again(): void {
    this.#phase = DELAY;
    this.waitedMs = 0;
    if (this.waits) this.waits = 0;
    if (this.slotMs) this.slotMs = 0;
    if (this.hookMs) this.hookMs = 0;
    if (this.pendingHeaders) this.pendingHeaders = undefined;
  }

  // 3. The end.

  /** A wait has failed, the caller has aborted, or a deadline has passed. */
  stopped(error: unknown): CallStep {
    const { keep } = this;
    this.keep = undefined;
    const step = this.#end ?? this.#stopped(error);
    // The wait may still bring a permit, which then goes back.
    if (step.do === 'end') this.keep = keep;
    return step;
  }

  #stopped(error: unknown): CallStep {
    const { inspection, permits } = this;
    if (inspection) return this.#stopInspection(inspection, error);
    permits?.cancel();
    if (!(error instanceof OutOfTime) || error.isTotal) return this.#endUnsent(error);
    // A timeout before the send is judged as a timeout after the send.
    try {
      this.#begin();
    } catch (hookError) {
      return this.#endUnsent(hookError);
    }
    const { signal } = this;
    const isAborted = signal?.aborted === true;
    const late = isAborted ? signal.reason : lateBy(this.client, error);
    return this.#lose(late, { type: 'failure', kind: isAborted ? 'aborted' : 'timeout', error: late });
  }

  /** Ends the inspection of a response without a verdict: no one gets the response. */
  #stopInspection(inspection: Inspection, error: unknown): CallStep {
    const { outcome } = inspection;
    this.inspection = undefined;
    inspection.end(error);
    if (isReasonOf(this.signal, error)) return this.#lose(error, abortedBy(error, outcome));
    if (!(error instanceof OutOfTime)) return this.#fail(outcome, error);
    const late = lateBy(this.client, error);
    return this.#lose(late, { type: 'failure', kind: 'timeout', error: late });
  }

  /** The attempt ends with this error, in place of its own result. */
  #lose(error: unknown, outcome: Outcome): CallStep {
    const step = this.#judge(outcome);
    if (step.do === 'retry') return { do: 'retry', error };
    return step.do === 'end' && !step.before ? { error, ...step } : step;
  }

  /** The caller has aborted, in a client whose requests have no signal. Ends a wait; an attempt in flight is ended by its driver. */
  aborted(reason: unknown): void {
    if (this.abort) this.abort.abort(reason);
    else this.signal = AbortSignal.abort(reason);
  }

  /** The call has ended with the outcome of its last attempt. @param isLate the caller gets the answer before it */
  #stop(reason: StopReason, outcome: Outcome, isLate = false): EndStep {
    if (this.#end) return this.#end;
    const { attempt, delayMs, waitedMs, outer } = this;
    if (reason === 'success' && isFirstAnswer(this, outcome)) this.history = successOf(outcome.status);
    else this.note(recordOf(attempt, delayMs, waitedMs, outcome, reason));
    if (outcome.type === 'failure') this.permits?.release();
    // User code that has made this request need not be called again for it, if it was sent more than once.
    const wasRepeated = attempt > 1 || reason === 'inner-client-retried';
    if (outer && wasRepeated && reason !== 'success' && this.isWithin(outer)) outer.hasFailed = true;
    const cause = outcome.advice?.cause;
    const fields = cause === undefined ? { outcome } : { outcome, error: cause };
    if (reason === 'success') return this.#close(SUCCEEDED, fields);
    if (!isLate) return this.#close({ do: 'end', reason }, fields);
    return this.#close(
      { do: 'end', reason, before: 'answer' },
      { outcome: this.answered, error: outcome.error },
    );
  }

  /** User code has failed that was to judge the outcome: no one gets the response. */
  #fail(outcome: Outcome, error: unknown): EndStep {
    this.permits?.release(undefined, outcome);
    return this.#close({ do: 'end', reason: 'final', error }, { outcome, error });
  }

  /** Ends the call before its next attempt is sent: after an abort, an error of a hook, or a refusal of a limit. */
  #endUnsent(error: unknown): EndStep {
    const { toRetry: outcome, deadline, history } = this;
    const isRefused = error instanceof NotSentError;
    const why = isRefused ? error.reason : undefined;
    if (isRefused) Object.assign(error, this.fairness);
    const isAbort = isReasonOf(this.signal, error) && why !== 'stopped';
    const isFault = error instanceof HookError || isUploadError(this, error);
    let reason: StopReason = why === 'stopped' || why === 'overload' ? why : 'limited';
    if (isFault) reason = 'final';
    else if (isAbort) reason = 'aborted';
    // Refused by the total timeout.
    else if (error instanceof OutOfTime || (outcome && deadline?.bindsWait && why === 'wait-too-long'))
      reason = 'deadline-exceeded';
    const fields = { outcome, error };
    if (isAbort || isFault || !outcome) {
      return this.#close({ do: 'end', reason, error: lateBy(this.client, error) }, fields);
    }
    // The retry that followed the last one is not sent.
    this.history = [...history.slice(0, -1), { ...(history.at(-1) as Attempt), reason }];
    return this.#close({ do: 'end', reason, before: 'last' }, fields);
  }

  /** Ends the call once, and tells all who want to know. */
  #close(end: EndStep, fields: EndFields): EndStep {
    if (this.close(end.reason, end) && isObserved(this.policy[POLICY].onEvent, 'end'))
      this.emit({ type: 'end', reason: end.reason, ...fields });
    return this.#end as EndStep;
  }

  /** Ends the call. False if it has ended before. */
  close(reason: StopReason, end: EndStep = { do: 'end', reason }): boolean {
    if (this.#end) return false;
    this.#end = end;
    this.#forgetWaits();
    this.permits?.end(reason);
    if (this.startedPlugins) this.#endPlugins(reason, this.startedPlugins);
    return true;
  }

  /** A plugin that fails at the end changes nothing. */
  #endPlugins(reason: StopReason, started: number): void {
    for (const plugin of this.policy[POLICY].plugins.slice(0, started))
      callQuietly(plugin.name, plugin, () => plugin.ended?.(this, reason));
  }

  // 4. Waits: the one place that bounds them.

  /** A wait that ends with the caller's signal, the shutdown, a failed upload, or its time. */
  #until<T>(
    work: PromiseLike<T>,
    leftMs: number,
    late: () => unknown,
    tooLate?: (value: T) => void,
  ): WaitStep {
    const { clock } = this.policy;
    return {
      do: 'wait',
      until: withinBounds(work, { clock, signal: this.#waitSignal(), leftMs, late }, tooLate),
    };
  }

  /** User code cannot be stopped: its time is taken from the attempt. @param over called once the wait for it has ended */
  #userCode(start: () => PromiseLike<void> | undefined, over?: () => void): CallStep | undefined {
    const { policy, deadline, hookMs = 0 } = this;
    const { clock, attemptTimeoutMs = Infinity } = policy;
    const beganMs = clock.now();
    const work = start();
    const isDone = (): void => {
      over?.();
      this.hookMs = hookMs + clock.now() - beganMs;
    };
    if (!work) {
      isDone();
      this.#check();
      return undefined;
    }
    const ownMs = attemptTimeoutMs - hookMs;
    const totalMs = deadline?.leftMs ?? Infinity;
    const late = (): OutOfTime =>
      deadline && totalMs <= ownMs ? deadline.late() : new OutOfTime(attemptTimeoutMs, false);
    this.keep = isDone;
    const { until } = this.#until(work, Math.min(ownMs, totalMs), late);
    if (over) until.then(undefined, over);
    return { do: 'wait', until };
  }

  /** The signal that ends waits: the caller's own if nothing else can end them. */
  #waitSignal(): AbortSignal | undefined {
    const { stopSignal } = this.policy;
    const { followUpload } = this.client;
    const own = this.#callerSignal();
    if (!stopSignal && !followUpload) return own;
    this.ending ??= endingOf(own, stopSignal, followUpload, this);
    return this.ending.signal;
  }

  #callerSignal(): AbortSignal | undefined {
    if (this.way !== 'dispatcher' || this.signal) return this.signal;
    this.abort = new AbortController();
    this.signal = this.abort.signal;
    return this.signal;
  }

  #forgetWaits(): void {
    this.ending?.forget();
    if (this.ending) this.ending = undefined;
  }

  // 5. The call as drivers, limits and nested clients see it.

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** True if the attempt that has made this call, for a request of its own, is still under way. */
  private isWithin({ attempt }: OuterCall): boolean {
    return !this.isInner && attempt === this.outerAttempt;
  }

  get isOpen(): boolean {
    return !this.hasEnded;
  }

  /** True if the requests are the same. A function may send any. */
  sends(request: RequestTraits): boolean {
    return this.way !== 'function' && isSame(this.request, request);
  }

  get bucketsTaken(): readonly object[] {
    const { outer, isInner, lastBucket } = this;
    const taken = (isInner && outer?.bucketsTaken) || [];
    return lastBucket ? [...taken, lastBucket] : taken;
  }

  get slotsHeld(): readonly object[] {
    const { outer, bodyHolder } = this;
    const held = outer?.slotsHeld ?? [];
    return bodyHolder ? [...held, bodyHolder] : held;
  }

  /** True if calls may be made within its attempt, which must find it. */
  get mayNest(): boolean {
    return this.bodyHolder !== undefined || this.isWrapped || mayNest(this.way);
  }

  /** True if responses are inspected before they are judged. */
  get inspects(): boolean {
    return this.policy[POLICY].inspectors.length > 0;
  }

  /** True if the async context must bring it to them. */
  get needsContext(): boolean {
    return this.bodyHolder !== undefined || (this.mayNest && needsContext(this.way));
  }

  /** True if something stands around the sending of attempts. */
  get isWrapped(): boolean {
    return this.policy[POLICY].wrappers.length > 0;
  }

  get givenFeedback(): ReadFeedback | false | undefined {
    return this.policy[POLICY].feedback;
  }

  /** Watches the bodies of responses, if a limit needs to know their end. */
  get whenBodyEnds(): WhenBodyEnds | undefined {
    return this.permits?.whenBodyEnds;
  }

  /** The history to note on the result. */
  get historyRecord(): HistoryRecord {
    const { grant, history } = this;
    return grant ? { attempts: history, grant } : history;
  }

  /** Tells all who want to know. */
  emit(fields: EventFields): void {
    emit(this, fields, this.policy[POLICY].onEvent);
  }

  /** For a first attempt that was sent before the call was made. @param around the calls within it have found this */
  sentFirst(around: AroundCalls | undefined): void {
    this.#phase = SEND;
    this.attempt = 1;
    if (!around) return;
    around.isOpen = false;
    if (around.hasFailed) this.hasFailed = true;
  }

  /** Adds to the history. */
  note(entry: Attempt): void {
    // Not by `push`, which makes room for many more.
    if (this.history === NO_ATTEMPTS) this.history = [entry];
    else record(this.history as Attempt[], entry);
  }
}
