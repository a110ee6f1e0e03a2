import type { Clock } from '@ebb/core';
import {
  type Aside,
  LONGEST_DISCARD_MS,
  MOST_DISCARDED_BYTES,
  nextTurn,
  onAbort,
  type Session,
} from '@ebb/core/adapter';
import type { AxiosResponse } from 'axios';
import { headerOf, responseIn } from '../outcome.ts';
import { KeptBody } from './restorable-body.ts';
import { isNodeReadable, isWebReadable } from './stream.ts';

/** How much and how long a body is read that a retry is to follow. */
interface Bounds {
  readonly clock: Clock;
  readonly withinMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Lets go of what an adapter settled with, because a retry is to follow, so that its connection can be used
 * again. A streamed body is read within bounds, or broken off; it is kept if the retry may yet be refused.
 */
export function setAside(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
  const response = responseIn(settled);
  if (response === undefined) return undefined;
  breakOffUpload(response.request);
  const body = new KeptBody(response.data, session.keepsAnswer);
  const { clock } = session.policy;
  const released = readBody(response, body, { clock, withinMs: session.discardMs, signal });
  if (!session.keepsAnswer || !body.isStream) return { released };
  const restore = (): unknown => {
    response.data = body.restored();
    return settled;
  };
  return { released, restore };
}

/** Lets go of what comes when it is waited for no more. Never rejects. */
export async function letGoOf(settled: unknown, clock: Clock): Promise<void> {
  const response = responseIn(settled);
  if (response === undefined) return;
  breakOffUpload(response.request);
  const bounds = { clock, withinMs: LONGEST_DISCARD_MS, signal: undefined };
  await readBody(response, new KeptBody(response.data, false), bounds);
}

/** A server that answered before it had the whole body may never read the rest, and the socket would wait. */
export function breakOffUpload(request: unknown): void {
  const { writableFinished, destroy } = (request ?? {}) as { writableFinished?: unknown; destroy?: unknown };
  if (writableFinished === false && typeof destroy === 'function') destroy.call(request);
}

async function readBody(response: AxiosResponse, body: KeptBody, bounds: Bounds): Promise<void> {
  const { data } = response;
  const { clock, withinMs, signal } = bounds;
  if (isNodeReadable(data) || isWebReadable(data)) {
    if (isTooLong(response) || signal?.aborted) body.breakOff();
    const callOff = clock.schedule(() => body.breakOff(), withinMs);
    const unwatch = signal && onAbort(signal, () => body.breakOff());
    await body.read();
    callOff();
    unwatch?.();
    if (body.isBrokenOff) return;
  }
  await nextTurn();
}

/** A content-length counts for nothing if there is no body. */
function isTooLong({ status, headers, config }: AxiosResponse): boolean {
  const hasBody = config?.method?.toUpperCase() !== 'HEAD' && status !== 204 && status !== 304;
  return hasBody && Number(headerOf(headers, 'content-length')) > MOST_DISCARDED_BYTES;
}
