import type { Clock } from '@ebb/core';
import { onAbort } from '@ebb/core/adapter';
import { responseHeader } from '../headers.ts';
import { BodyUse } from './body-use.ts';
import { keeperOf } from './intercept-body.ts';
import { isNodeReadable, isWebReadable } from './kinds.ts';
import { whenNodeBodyEnds } from './node-body.ts';
import { SeenBody } from './watched-body.ts';

/** What the end of a body depends on beside the response. */
export interface Circumstances {
  /** Upper case. */
  readonly method: string;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** Some runtimes have a stream even for these. */
function isEmpty(response: Response, method: string): boolean {
  const { status } = response;
  if (method === 'HEAD' || status === 204 || status === 205 || status === 304) return true;
  return responseHeader(response.headers, 'content-length') === '0';
}

/**
 * Calls `ended` once the body of a response has ended, failed, been cancelled or been given up: when its
 * connection is no more in use. At once if there is none. The response stays the object that it is.
 */
export function whenBodyEnds(settled: unknown, around: Circumstances, ended: () => void): void {
  try {
    if (!watch(settled as Response, around, ended)) ended();
  } catch {
    // A mock that cannot even be asked has no connection.
    ended();
  }
}

/** Whether there is a body to watch. */
function watch(response: Response, { method, signal, clock }: Circumstances, ended: () => void): boolean {
  if (typeof response !== 'object' || response === null) return false;
  const keeper = keeperOf(response);
  if (keeper instanceof SeenBody) {
    // A base fetch may give one response twice.
    keeper.use.also(ended);
    return true;
  }
  if (keeper !== undefined || signal?.aborted || isEmpty(response, method)) return false;
  const { body } = response;
  const isNode = isNodeReadable(body);
  if (!isNode && !isWebReadable(body)) return false;
  const use = new BodyUse(ended);
  // With the connection, whether or not anyone reads.
  if (signal !== undefined) use.also(onAbort(signal, () => use.end()));
  if (isNode) whenNodeBodyEnds(body, clock, use);
  else new SeenBody(response, use, clock);
  return true;
}
