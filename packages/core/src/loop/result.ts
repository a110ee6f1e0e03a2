import { noteEnd } from '#around';
import type { Call } from './call.ts';
import { type Client, lateBy, type Settled } from './client.ts';
import { OutOfTime } from './deadline.ts';
import { attemptsOf, remember, rememberReason } from './history.ts';

/**
 * What a call ends with: the last attempt, whose slot is released once its body has ended, or the answer before it.
 *
 * @param answer the last response that a retry followed
 * @param isUnsent true if the retry after it was not sent
 * @throws what the attempt has failed with
 */
export function resultOf<T>(
  call: Call,
  client: Client<T>,
  at: Settled,
  answer: Settled | undefined,
  isUnsent = false,
): T {
  let { value, failed } = at;
  const before = isUnsent ? at : call.fallsBack ? answer : undefined;
  if (before !== undefined) {
    failed = before.failed;
    value = before.aside?.restore?.() ?? before.value;
  } else if (call.limit !== undefined) {
    const { parts } = call;
    // Hazard: it must not hold what was settled, or the response could not be collected.
    const ended = (): void => parts?.free();
    if (client.whenBodyEnds !== undefined) value = client.whenBodyEnds(value, ended);
    else ended();
  }
  if (!call.around.isInner && call.history.at(-1)?.reason !== 'success') noteEnd(value);
  if (failed) throw value;
  remember(value, call.trace);
  return value as T;
}

/** An error that a call ends with, with its history. */
export function errorOf<T>(
  call: Call,
  client: Client<T>,
  signal: AbortSignal | undefined,
  thrown: unknown,
): unknown {
  const error = thrown instanceof OutOfTime ? lateBy(client, thrown) : thrown;
  if (call.attempt === 0) client.unsent?.(error);
  // That of a request that a function has made, and that was repeated, stays.
  if (call.place?.failedBelow && attemptsOf(error).length > 0) return error;
  const note = signal?.aborted && error === signal.reason ? rememberReason : remember;
  note(error, call.trace);
  return error;
}
