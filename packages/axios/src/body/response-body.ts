import type { Clock } from '@ebb/core';
import {
  type Aside,
  type Call,
  discardMsOf,
  isWebReadable,
  LONGEST_DISCARD_MS,
  nextTurn,
  type Opened,
  property,
  restored,
  setAside,
  watchWebStream,
} from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';
import { abortUpload, whenNodeBodyEnds } from '#platform';
import { headerOf } from '../outcome.ts';

/** The response that an adapter resolved with, or that the error it rejected with carries. */
function responseIn(settled: unknown): AxiosResponse | undefined {
  const response = (property(settled, 'response') ?? settled) as AxiosResponse | undefined;
  return property(response, 'status') === undefined ? undefined : response;
}

/**
 * Discards a response before a retry, so that its connection can be reused. A streamed body is read within the
 * bounds of the call, or broken off. It is kept, because the retry may still be refused.
 *
 * @returns `undefined` if the adapter settled without a response
 */
export function discardForRetry(settled: unknown, call: Call, signal?: AbortSignal): Aside | undefined {
  const response = responseIn(settled);
  if (response === undefined) return undefined;
  if (abortUpload) abortUpload(response.request ?? {});
  const { data } = response;
  const bounds = { clock: call.policy.clock, longestMs: discardMsOf(call), signal };
  const aside = setAside(data, { ...bounds, contentLength: lengthOf(response) });
  if (aside === undefined) return { released: nextTurn() };
  return {
    released: aside.released,
    restore() {
      response.data = restored(data, aside);
      return settled;
    },
  };
}

/** Discards a response that arrives after its attempt has timed out. */
export function discardLate(settled: unknown, clock: Clock): void {
  const response = responseIn(settled);
  if (response === undefined) return;
  if (abortUpload) abortUpload(response.request ?? {});
  setAside(response.data, { clock, longestMs: LONGEST_DISCARD_MS, contentLength: lengthOf(response) });
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
  const isWatched = whenNodeBodyEnds ? whenNodeBodyEnds(response, clock, ended) : false;
  if (isWatched) return;
  const data: unknown = response?.data;
  if (response === undefined || !isWebReadable(data) || data.locked) ended();
  else response.data = watchWebStream(data, clock, ended);
}

/**
 * Opens the body of the response in what an adapter settled with; `undefined` if there is none. The adapters of axios have read
 * a body that is not streamed, but not parsed it: `transformResponse` runs after the last attempt. A custom adapter may have.
 */
export function peekAt(settled: unknown, abortError: () => unknown): Opened {
  const response = responseIn(settled);
  if (response === undefined) return undefined;
  const { data } = response;
  const replace = (other: unknown): void => {
    response.data = other;
  };
  return { data, replace, abortError };
}
