// The steps of a call in words that tests are short with: what comes before an attempt, and what follows it.
import type { Call } from '../src/call/call.ts';
import { OutOfTime } from '../src/call/deadline.ts';
import type { Decision } from '../src/call/decide.ts';
import type { CallClient, CallStep, EndStep } from '../src/call/types.ts';
import type { Outcome } from '../src/http/outcome.ts';
import { followed } from './call-with-limits.ts';

/** True if the attempt is to be sent; false if the result is that of the one before; the error that an attempt has failed with unsent. */
export type Readiness = boolean | object;

function read(step: CallStep): Readiness {
  if (step.do === 'send') return true;
  if (step.do === 'retry') return step.error as object;
  const { error, before } = step as EndStep;
  if (before) return false;
  throw error;
}

/** Goes on until the next attempt may be sent; `undefined` if that is so at once. */
export function prepare(
  call: Call,
  signal?: AbortSignal,
  released?: Promise<void>,
  makeBody?: CallClient['makeBody'],
  followUpload?: CallClient['followUpload'],
): Promise<Readiness> | undefined {
  call.signal = signal;
  call.client = { makeBody, followUpload, timeoutError: (timeoutMs) => new OutOfTime(timeoutMs, true) };
  if (call.attempt > 0) call.released(released);
  const step = call.next();
  return step.do === 'send' ? undefined : followed(call, step).then(read);
}

/** Tells the call how its attempt has ended. @throws what user code has thrown */
export function judge(call: Call, outcome: Outcome): Decision {
  const step = call.ended(outcome);
  if (step.do === 'end') {
    if ('error' in step) throw step.error;
    return { retry: false, reason: step.reason };
  }
  const { delayMs, previousBackoffMs, history } = call;
  const reason = history.at(-1)?.reason as 'refused' | 'transient';
  return {
    retry: true,
    reason,
    delayMs,
    ...(previousBackoffMs !== undefined && { backoffMs: previousBackoffMs }),
  };
}
