import type { Outcome } from '../http/outcome.ts';
import { POLICY } from '../policy/options.ts';
import { abortedBy, type Call } from './call.ts';
import { keepNotes } from './history.ts';
import { MiddlewareRun } from './middleware.ts';
import { resultOf, type SettledAttempt, type Transport } from './transport.ts';
import type { CallStep } from './types.ts';

const succeeded = (value: unknown): SettledAttempt => ({ value, failed: false });
const failed = (value: unknown): SettledAttempt => ({ value, failed: true });

/**
 * Sends a request until its policy stops, and settles as the client did at the last attempt, or as the middleware of the policy says.
 *
 * @param signal the caller's
 * @throws the error of the client's last attempt, unchanged
 * @throws the signal's own reason, NotSentError or HookError
 */
export function run<T>(call: Call, transport: Transport<T>, signal?: AbortSignal): Promise<T> {
  // A nested client would call middleware for each attempt of the outer one, and an abort beforehand goes to the client.
  return call.policy[POLICY].middleware.length === 0 || call.isInner || signal?.aborted
    ? drive(call, transport, signal)
    : new MiddlewareRun(call, transport, signal, drive).start();
}

/** Drives a call of a client of promises. Most calls need one attempt and no wait: they get by with one promise. */
export function drive<T>(call: Call, transport: Transport<T>, signal?: AbortSignal): Promise<T> {
  call.signal = signal;
  call.client = transport;
  const step = call.next();
  if (step.do !== 'send') return follow(call, transport, step);
  return send(call, transport).then(
    (value) => goOn(call, transport, succeeded(value)),
    (error: unknown) => goOn(call, transport, failed(error)),
  );
}

/** Goes on with an attempt that has settled. */
export function goOn<T>(call: Call, transport: Transport<T>, settled: SettledAttempt): T | Promise<T> {
  const step = reportOutcome(call, transport, settled);
  return step.do === 'end'
    ? resultOf(call, transport, settledAs(call, transport, step, settled))
    : follow(call, transport, step, settled);
}

function send<T>(call: Call, transport: Transport<T>): Promise<T> {
  try {
    // A base fetch may return something else than a promise, if it is a mock.
    return Promise.resolve(transport.send(call));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Tells the call how an attempt has ended. */
function reportOutcome<T>(call: Call, transport: Transport<T>, at: SettledAttempt): CallStep {
  const outcome = outcomeOf(call, transport, at);
  if (at.failed && call.hasFailedWith(at.value)) return call.judgedWithin(outcome);
  return call.inspects ? inspect(call, transport, at, outcome) : call.ended(outcome);
}

function inspect<T>(call: Call, transport: Transport<T>, at: SettledAttempt, outcome: Outcome): CallStep {
  const replace = (settled: unknown): void => {
    // The look may end after the attempt.
    if (at.failed) drop(call, transport, settled);
    else at.value = settled;
  };
  return call.ended(outcome, () => transport.peek?.(at.value, replace));
}

function outcomeOf<T>(call: Call, transport: Transport<T>, at: SettledAttempt): Outcome {
  let outcome: Outcome | undefined;
  try {
    if (!at.failed) outcome = transport.outcome(at.value as T);
  } catch (error) {
    // The getters of some mocks throw.
    at.value = error;
    at.failed = true;
  }
  outcome ??= transport.failure(at.value);
  if (at.failed && call.signal?.aborted) outcome = abortedBy(at.value, outcome);
  at.outcome = outcome;
  return outcome;
}

/** Drops the result of an attempt, because the caller gets another result. */
function drop<T>(call: Call, transport: Transport<T>, settled: unknown): void {
  transport.setAside(settled, call, AbortSignal.abort());
}

/** Drops an attempt. Its inspection may still bring another response, which is dropped then. */
function lose<T>(call: Call, transport: Transport<T>, at: SettledAttempt): void {
  drop(call, transport, at.value);
  at.failed = true;
}

/** How the attempt has settled for the caller: with the error of the step, if it has one. */
function settledAs<T>(
  call: Call,
  transport: Transport<T>,
  step: CallStep,
  at: SettledAttempt | undefined,
): SettledAttempt {
  const settled = at ?? failed(undefined);
  if (!('error' in step)) return settled;
  if (at) lose(call, transport, at);
  settled.value = step.error;
  return settled;
}

/** Follows the steps of a call that waits, is sent again, or has ended. @param settled its first attempt, if that was sent */
async function follow<T>(
  call: Call,
  transport: Transport<T>,
  first: CallStep,
  settled?: SettledAttempt,
): Promise<T> {
  /** The settled attempt, the attempt before a retry, and the last response that was retried. */
  let current = settled;
  let before: SettledAttempt | undefined;
  let answer: SettledAttempt | undefined;
  for (let step = first; ; ) {
    switch (step.do) {
      case 'send':
        current = await send(call, transport).then(succeeded, failed);
        step = reportOutcome(call, transport, current);
        break;
      case 'wait':
        try {
          step = call.next(await step.until);
        } catch (error) {
          step = call.stopped(error);
        }
        break;
      case 'retry':
        before = settledAs(call, transport, step, current);
        current = undefined;
        keepNotes(call, before.value);
        before.aside = transport.setAside(before.value, call, call.signal);
        if (call.answered && before.outcome?.type === 'response' && !('error' in step)) answer = before;
        call.released(before.aside?.released);
        step = call.next();
        break;
      default: {
        if (!current && !before && 'error' in step) transport.unsent?.(step.error);
        // The response came too late to replace the result before.
        if (step.before && current?.outcome?.type === 'response') lose(call, transport, current);
        const named = step.before && (step.before === 'last' ? before : answer);
        return named
          ? await resultBefore(call, transport, named)
          : resultOf(call, transport, settledAs(call, transport, step, current));
      }
    }
  }
}

/** Returns the result before a retry that is not sent, once its body has been read or given up. */
async function resultBefore<T>(call: Call, transport: Transport<T>, at: SettledAttempt): Promise<T> {
  const { aside } = at;
  await aside?.released;
  // The abort has ended the reading.
  if (aside && call.signal?.aborted) return resultOf(call, transport, failed(call.signal.reason));
  return resultOf(call, transport, { ...at, value: aside?.restore?.() ?? at.value }, true);
}
