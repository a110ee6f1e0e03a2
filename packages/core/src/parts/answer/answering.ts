import { callable } from '../../base/check.ts';
import type { Call } from '../../call/call.ts';
import type { drive } from '../../call/run.ts';
import type { Transport } from '../../call/transport.ts';
import type { Way } from '../../nested/outer-call.ts';
import type { Part } from '../../policy/part.ts';
import { type AnswerCall, type AnsweringPart, Asked } from './asked.ts';

/**
 * Stands around a whole call. It returns a result of the client for the caller, such as a `Response`. Nothing stands for the result of
 * `send`.
 *
 * @param send makes the call go on as it would without this part. A second call of it returns the same promise
 */
export type Answer<T> = (
  call: AnswerCall,
  send: () => Promise<T>,
) => T | undefined | PromiseLike<T | undefined>;

/** An inner layer would answer each attempt of the outer one; functions have no URL; and an abort beforehand goes to the client. */
function ask<T>(
  call: Call,
  client: Transport<T>,
  signal: AbortSignal | undefined,
  send: typeof drive,
): Promise<T> {
  return call.isInner || call.way === 'function' || signal?.aborted
    ? send(call, client, signal)
    : new Asked(call, client, signal, send).start();
}

/** A part that may answer calls. @param rank 1 for one that sends the call itself, which no other may stand within */
export function answeringPart(
  name: string,
  rank: number,
  answer: (asked: Asked<never>, send: () => Promise<never>) => unknown,
): Part {
  const checkWay = (way: Way): void => {
    // A dispatcher tells a handler of events, and has no result that a part could return.
    if (way !== 'dispatcher') return;
    throw new TypeError(
      `use: '${name}' cannot answer calls of a dispatcher; undici has interceptors.cache() and deduplicate()`,
    );
  };
  const part: AnsweringPart = {
    name,
    place: 'answer',
    checkWay,
    begin: () => undefined,
    answering: ask,
    rank,
    answer: answer as never,
  };
  return part;
}

/**
 * A part that may answer calls itself, before anything is taken or sent: a cache, a fallback, a stale value after an error. Several are
 * asked in their order in `use`, the first around the others. Of layers of ebb, the outermost alone asks.
 *
 * A call that is answered without a send has no attempts, and its `end` has the reason `answered`. For fetch and axios, whose results
 * are values: `ebbInterceptor` of @ebb/undici throws a `TypeError`.
 *
 * @param answer returns a result of the client, or what `send()` returns
 * @throws TypeError unless it is a function
 * @example
 * ```ts
 * import { answering } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 *
 * const fallback = answering<Response>('fallback', async (call, send) => {
 *   const response = await send();
 *   if (response.status !== 503) return response;
 *   await response.body?.cancel();
 *   return Response.json([]);
 * });
 * const fetch = createFetch({ use: [fallback] });
 * ```
 */
export function answering<T>(name: string, answer: Answer<T>): Part {
  callable('answering: answer', answer);
  return answeringPart(name, 0, answer as never);
}
