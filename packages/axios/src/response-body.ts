import type { Clock } from '@ebb/core';
import {
  type Aside,
  isNodeReadable,
  isWebReadable,
  keptStream,
  nextTurn,
  type OpenedBody,
  property,
  setAside,
  watchWebStream,
} from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';
import { abortUpload, closeWith, whenNodeBodyEnds } from '#platform';
import { headerOf } from './outcome.ts';

/** The response of an adapter: its result, or the `response` of its error. */
function responseIn(settled: unknown): AxiosResponse | undefined {
  const response = (property(settled, 'response') ?? settled) as AxiosResponse | undefined;
  return property(response, 'status') === undefined ? undefined : response;
}

/**
 * Discards a response before a retry, or after the timeout of its attempt, so that the connection can be reused. A streamed body is read
 * within bounds, or broken off. The body is kept, because the retry may still be refused.
 *
 * @param longestMs how long the body is read, in milliseconds
 * @returns `undefined` if the adapter settled without a response
 */
export function discard(
  settled: unknown,
  clock: Clock,
  longestMs: number,
  signal?: AbortSignal,
): Aside | undefined {
  const response = responseIn(settled);
  if (!response) return undefined;
  if (abortUpload) abortUpload(response.request ?? {});
  const { data } = response;
  const aside = setAside(data, { clock, longestMs, signal, contentLength: lengthOf(response) });
  if (!aside) return { released: nextTurn() };
  return {
    released: aside.released,
    restore() {
      response.data = keptStream(data, aside);
      return settled;
    },
  };
}

/** A response without a body may still have a content-length. */
function lengthOf({ status, headers, config }: AxiosResponse): number {
  const hasBody = config?.method?.toUpperCase() !== 'HEAD' && status !== 204 && status !== 304;
  return hasBody ? Number(headerOf(headers, 'content-length')) : 0;
}

/**
 * Calls `ended` when the connection no longer needs to carry the body of a response: at once if axios has read it,
 * otherwise when it has arrived (read or not), has failed, or was cancelled. May call it more than once.
 */
export function whenBodyEnds(settled: unknown, clock: Clock, ended: () => void): void {
  const response = responseIn(settled);
  if (whenNodeBodyEnds ? whenNodeBodyEnds(response, clock, ended) : false) return;
  const data: unknown = response?.data;
  if (!response || !isWebReadable(data) || data.locked) ended();
  else response.data = watchWebStream(data, clock, ended);
}

/** Calls `ended` when no one can read the body of a response any longer: at once if axios has read it, or if there is none. */
export function whenRead(response: AxiosResponse | undefined, clock: Clock, ended: () => void): void {
  const isStreamed = closeWith ? closeWith(response?.data, ended) : false;
  if (!isStreamed) whenBodyEnds(response, clock, ended);
}

/**
 * Ends the body of a streamed response with an error, unless it ends before. axios has read any other body.
 *
 * @param abort ends the attempt: a pipe whose target fails may wait for the next part before it closes the connection
 */
export function endBodyAfter(
  settled: unknown,
  clock: Clock,
  leftMs: number,
  late: () => Error,
  abort: () => void,
): void {
  const response = responseIn(settled);
  const data: unknown = response?.data;
  if (!response) return;
  if (isNodeReadable(data)) {
    data.on(
      'close',
      clock.schedule(() => data.destroy?.(late()), leftMs),
    );
  } else if (isWebReadable(data) && !data.locked) {
    let fail: (error: Error) => void;
    const start = (controller: TransformStreamDefaultController): void => {
      fail = (error) => controller.error(error);
    };
    const end = (): void => {
      fail(late());
      abort();
    };
    // In the background: Node 20 does not say that a body is cancelled.
    const flush = clock.schedule(end, leftMs, true);
    response.data = data.pipeThrough(new TransformStream({ start, flush }));
  }
}

/**
 * Opens the body of the response in what an adapter settled with; `undefined` if there is none. The adapters of axios have read
 * a body that is not streamed, but not parsed it: `transformResponse` runs after the last attempt. A custom adapter may have.
 */
export function peekAt(settled: unknown, abortError: () => unknown): OpenedBody {
  const response = responseIn(settled);
  if (!response) return undefined;
  const { data } = response;
  const replace = (other: unknown): void => {
    response.data = other;
  };
  return { data, replace, abortError };
}
