import { publishResume } from '#platform';
import type { Clock } from '../base/clock.ts';
import { property } from '../base/property.ts';
import { callObserver } from '../base/warn.ts';
import { codeIn, failureKind } from '../http/failure.ts';
import type { RequestTraits } from '../http/outcome.ts';
import { type Attempt, attemptsOf, grantOf, remember } from '../loop/history.ts';
import { makeEvent, type Observer } from '../news/events.ts';
import type { ResumeReason } from '../news/reason.ts';
import { reportedRequest } from '../news/reported.ts';

/** What is known of a resumption when it is decided upon. */
export interface Resumption {
  readonly reason: ResumeReason;
  readonly error: unknown;
  readonly passedBytes: number;
  readonly delayMs: number;
}

/** Tells observers of a resumption. */
export function reportResumption(
  { clock, onEvent }: { readonly clock: Clock; readonly onEvent?: Observer | undefined },
  request: RequestTraits,
  response: object,
  { error, ...news }: Resumption,
): void {
  const event = makeEvent(
    { type: 'resume', ...news, outcome: { type: 'failure', kind: failureKind(error), error } },
    request,
    { request: reportedRequest(request), attempt: attemptsOf(response).length, atMs: clock.now() },
  );
  if (onEvent !== undefined) callObserver('onEvent', onEvent, event);
  publishResume(event);
}

/** The longest history of a response: a stream of a day may be resumed any number of times. */
const MOST_ATTEMPTS = 100;

/**
 * Adds a resumption to the history of a response: its last attempt was followed by those that the request for the rest took.
 *
 * @param result what that request ended with: a response, or an error
 */
export function rememberResumption(response: unknown, result: unknown, { error, delayMs }: Resumption): void {
  const before = attemptsOf(response);
  const last = before.at(-1);
  if (last === undefined) return;
  const broken: Attempt = { ...last, failure: failureKind(error), ...codeIn(error), reason: 'resumed' };
  const after = attemptsOf(result).map((one, index) => ({
    ...one,
    attempt: last.attempt + one.attempt,
    delayMs: index === 0 ? one.delayMs + delayMs : one.delayMs,
  }));
  const attempts = [...before.slice(0, -1), broken, ...after].slice(-MOST_ATTEMPTS);
  rememberAs(response, attempts, result);
}

/** Gives a response, or an error, the history of a response. */
export function rememberOf(result: unknown, response: unknown): void {
  rememberAs(result, attemptsOf(response), response);
}

function rememberAs(result: unknown, attempts: readonly Attempt[], granted: unknown): void {
  const grant = grantOf(granted) ?? grantOf(result);
  remember(result, grant === undefined ? attempts : { attempts, grant });
}

/**
 * Sets `cause` to an error that says why the body was not resumed; the old cause moves under it. The error stays the same object.
 */
export function explain(
  error: unknown,
  why: string | undefined,
  cause: unknown = property(error, 'cause'),
): unknown {
  try {
    const value = new Error(`not resumed: ${why ?? ''}`, { cause });
    return Object.defineProperty(error, 'cause', { value, configurable: true, writable: true });
  } catch {
    // Some runtimes break with something that is no object, or frozen.
    return error;
  }
}
