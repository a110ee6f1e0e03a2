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
import { headerOf, responseIn } from '../response.ts';
import { RestorableBody } from './restorable-body.ts';
import { isNodeReadable, isWebReadable } from './stream.ts';

/** How long a body is read before it is broken off. */
interface Bounds {
  readonly clock: Clock;
  readonly withinMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Discards a response before a retry, so that its connection can be reused. A streamed body is read within the
 * bounds of the session, or broken off. It is kept if the session may still refuse the retry.
 *
 * @returns `undefined` if the adapter settled without a response
 */
export function discardForRetry(settled: unknown, session: Session, signal?: AbortSignal): Aside | undefined {
  const response = responseIn(settled);
  if (response === undefined) return undefined;
  abortUpload(response.request);
  const body = new RestorableBody(response.data, session.keepsAnswer);
  const { clock } = session.policy;
  const released = readBody(response, body, { clock, withinMs: session.discardMs, signal });
  if (!session.keepsAnswer || !body.isStream) return { released };
  const restore = (): unknown => {
    response.data = body.restored();
    return settled;
  };
  return {
    released,
    restore,
    get isLost() {
      return body.isBrokenOff;
    },
  };
}

/** Discards a response that arrives after its attempt has timed out. Never rejects. */
export async function discardLate(settled: unknown, clock: Clock): Promise<void> {
  const response = responseIn(settled);
  if (response === undefined) return;
  abortUpload(response.request);
  const bounds = { clock, withinMs: LONGEST_DISCARD_MS, signal: undefined };
  await readBody(response, new RestorableBody(response.data, false), bounds);
}

/** Destroys a request whose upload is unfinished: a server that has already responded may never read the rest. */
export function abortUpload(request: unknown): void {
  const { writableFinished, destroy } = (request ?? {}) as { writableFinished?: unknown; destroy?: unknown };
  if (writableFinished === false && typeof destroy === 'function') destroy.call(request);
}

async function readBody(response: AxiosResponse, body: RestorableBody, bounds: Bounds): Promise<void> {
  const { data } = response;
  const { clock, withinMs, signal } = bounds;
  if (isNodeReadable(data) || isWebReadable(data)) {
    if (isTooLong(response) || signal?.aborted) body.breakOff();
    const cancelTimer = clock.schedule(() => body.breakOff(), withinMs);
    const unwatch = signal && onAbort(signal, () => body.breakOff());
    await body.read();
    cancelTimer();
    unwatch?.();
    if (body.isBrokenOff) return;
  }
  await nextTurn();
}

/** A response without a body may still have a content-length. */
function isTooLong({ status, headers, config }: AxiosResponse): boolean {
  const hasBody = config?.method?.toUpperCase() !== 'HEAD' && status !== 204 && status !== 304;
  return hasBody && Number(headerOf(headers, 'content-length')) > MOST_DISCARDED_BYTES;
}
