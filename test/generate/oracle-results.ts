import { type EbbEvent, HookError } from '@ebb/core';
import { type Result, TICK_MS } from './call.ts';
import type { Case } from './case.ts';
import type { Complaint } from './oracle.ts';
import type { Hook, Parts } from './parts.ts';
import type { Played } from './play.ts';
import type { Seen } from './record.ts';
import type { Behaviour } from './step.ts';

/** What a server does that is no reason to fail. */
const HARMLESS: ReadonlySet<Behaviour> = new Set([
  'ok',
  'chunked',
  'until-close',
  'slow',
  'late',
  'informational',
  'no-content',
  'gzip',
  'events',
  'file',
  'usage',
]);

/** True if nothing but the server and the network may fail a call. */
function isUnlimited({ parts, isRefused }: Case): boolean {
  const { bucket, concurrency, hook, own, factory, fault } = parts;
  return (
    !isRefused &&
    !parts.isBlank &&
    fault === undefined &&
    bucket?.kind !== 'tiny' &&
    bucket?.nonConforming !== 'reject' &&
    concurrency?.maxQueue === undefined &&
    hook?.does !== 'never' &&
    own?.does !== 'skips' &&
    factory !== 'throws' &&
    (parts.attemptTimeoutMs ?? parts.totalTimeoutMs ?? parts.maxWaitMs ?? parts.stopAtMs) === undefined &&
    !parts.isBudgeted &&
    !parts.isThrottled
  );
}

/** The hooks whose failure fails their call. */
const DECIDING: ReadonlySet<Hook> = new Set([
  'classify',
  'backoff',
  'cost',
  'beforeAttempt',
  'inspect',
  'fairKey',
  'methods',
  'idempotencyKey',
  'trustedOrigins',
  'keyOf',
]);
/** Those that must return something. */
const RETURNING: ReadonlySet<Hook> = new Set([
  'classify',
  'cost',
  'fairKey',
  'methods',
  'idempotencyKey',
  'keyOf',
]);

function isOfHook(error: unknown): boolean {
  if (error instanceof HookError) return true;
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return cause !== undefined && cause !== error && isOfHook(cause);
}

/** True if all that a policy calls is called for the calls of the case, and for nothing else. */
function isPlain({ layer, hedge, redirects, isResuming, hook, inspect, factory }: Parts): boolean {
  const calls = hook?.does === 'calls' || inspect === 'calls' || factory === 'calls';
  return !calls && (layer ?? hedge ?? redirects ?? isResuming) === undefined;
}

/** A hook that decides, and fails, fails its call. */
function* judgeFaults({ of, probe, results }: Played): Iterable<Complaint> {
  const { fault, attemptTimeoutMs, totalTimeoutMs, stopAtMs } = of.parts;
  if (fault === undefined || probe.faults === 0 || !isPlain(of.parts)) return;
  if ((attemptTimeoutMs ?? totalTimeoutMs ?? stopAtMs) !== undefined) return;
  if (results.some(({ plan }) => plan.caller === 'abort')) return;
  // The fetch of undici does not say why a body has ended, so nor why it was not resumed.
  if (probe.events.some(({ type }) => type === 'resume')) return;
  const isWrong = fault.does === 'returns undefined' ? RETURNING : DECIDING;
  if (!isWrong.has(fault.hook)) return;
  if (!results.some(({ error }) => isOfHook(error)))
    yield { rule: 'fault', detail: `${fault.hook} ${fault.does}, and no call has failed with that` };
}

const seenOf = ({ seen }: Played, number: number): readonly Seen[] =>
  seen.filter(({ call }) => call === number);

/** A call whose server does everything right does not fail. */
function* judgeFailures(played: Played): Iterable<Complaint> {
  // A connection that one call leaves to the next may break as it is used again.
  const isHarmless = played.seen.every(({ step }) => HARMLESS.has(step.do));
  if (!isHarmless || !isUnlimited(played.of)) return;
  for (const [number, { isFailed, error, plan }] of played.results.entries()) {
    // A caller that destroys its own stream gets an error.
    const givesUp = played.of.client === 'undici-stream' && /half|cancel/.test(plan.caller);
    if (!isFailed || givesUp || plan.caller === 'abort') continue;
    const { length } = seenOf(played, number);
    yield { rule: 'fails', detail: `call ${number} after ${length} requests: ${nameOf(error)}` };
  }
}

function nameOf(error: unknown): string {
  const { name, message, cause } = (error ?? {}) as Partial<Error>;
  return `${name}: ${String(message).replace(/\d{2,}/g, '#')}${cause ? ` (${nameOf(cause)})` : ''}`;
}

/** True for what is retried without a doubt. */
function isRetryable({ step, served }: Seen): boolean {
  if (step.do === 'reset-before' || step.do === 'close-before') return served === undefined;
  return (
    step.do === 'status' && [429, 500, 502, 503, 504].includes(step.status ?? 0) && step.wait !== '86400'
  );
}

/** What may be sent again without a doubt is sent again. That attempt may be lost on its way. */
function* judgeRetries(played: Played): Iterable<Complaint> {
  const { of, probe } = played;
  const { maxRetries, inspect, hedge, isUnobserved } = of.parts;
  // A hedge may have won.
  if (maxRetries === 0 || (inspect ?? hedge ?? isUnobserved) !== undefined || !isUnlimited(of)) return;
  for (const [number, plan] of of.calls.entries()) {
    const [first] = seenOf(played, number);
    if (first === undefined || !isRetryable(first)) continue;
    if (!/^(GET|HEAD|OPTIONS)$/.test(plan.method) || plan.body !== 'none' || plan.caller === 'abort')
      continue;
    const isOfCall = ({ type, request }: EbbEvent): boolean =>
      type === 'attempt' && request.url.endsWith(`/c${number}`);
    if (probe.events.filter(isOfCall).length < 2)
      yield { rule: 'not retried', detail: `call ${number}: ${plan.method} after ${first.step.do}` };
  }
}

/** How much later than its deadline a call may end, in ticks of the process: those that a busy machine leaves out are not counted. */
const LATE_TICKS = 100;

/** A deadline ends a call, and so does an abort. */
function* judgeDeadlines({ of, results }: Played): Iterable<Complaint> {
  const { totalTimeoutMs = Number.POSITIVE_INFINITY } = of.parts;
  for (const [number, result] of results.entries()) {
    const { started, settled = started, aborted, plan }: Result = result;
    if (settled - started > totalTimeoutMs / TICK_MS + LATE_TICKS)
      yield { rule: 'deadline', detail: `call ${number} took ${settled - started} ticks` };
    if (aborted !== undefined && plan.isSignalled && settled - aborted > LATE_TICKS)
      yield { rule: 'deadline', detail: `call ${number} went on ${settled - aborted} ticks after its abort` };
  }
}

/** Calls fail if there is a reason, retry if they may, and end in time. */
export function* judgeResults(played: Played): Iterable<Complaint> {
  yield* judgeFaults(played);
  yield* judgeFailures(played);
  yield* judgeRetries(played);
  yield* judgeDeadlines(played);
}
