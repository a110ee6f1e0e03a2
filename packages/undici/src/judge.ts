import type { AsyncResource } from 'node:async_hooks';
import { classifyHttp, type Outcome, type Policy } from '@ebb/core';
import type { Session } from '@ebb/core/adapter';

/** True if code of the user runs when this outcome is judged. Entering the context takes a tenth of a request. */
function callsBack({ onEvent, classify, bucket, budget }: Policy, outcome: Outcome): boolean {
  const isSuccess = outcome.type === 'response' && outcome.status < 400;
  return !isSuccess || onEvent !== undefined || classify !== classifyHttp || (bucket ?? budget) !== undefined;
}

/** A function of the module: a closure would be allocated for each response. */
function mustRetry(session: Session, outcome: Outcome, hasAnswer: boolean): boolean {
  // Parts that look into responses have done so before.
  return session.next('looked', outcome, hasAnswer) === 'set aside';
}

/**
 * Judges the outcome of an attempt, in the context of its request if the user's code may run; true for a retry. undici reports a
 * response in the async context of whichever request opened its connection.
 *
 * @throws HookError if a hook fails
 */
export function judgeIn(
  context: AsyncResource,
  session: Session,
  outcome: Outcome,
  hasAnswer: boolean,
): boolean {
  return callsBack(session.policy, outcome)
    ? context.runInAsyncScope(mustRetry, undefined, session, outcome, hasAnswer)
    : mustRetry(session, outcome, hasAnswer);
}
