import type { Clock } from '@ebb/core';
import type { ReadHeader, Resumable } from '@ebb/core/adapter';
import {
  Download,
  type EventHooks,
  EventStream,
  haveCredentials,
  isCoded,
  isEventStream,
  prose,
} from '@ebb/core/resuming';
import type { Dispatcher } from 'undici';
import type { Pausable } from './handler.ts';
import { type RequestHeaders, type ResponseHead, readerOf, requestHeader } from './headers.ts';
import type { Sent } from './outcome.ts';

/** What a body can be resumed by, or why it cannot; `undefined` for a response that is neither an event stream nor a download. */
export function resumableOf(
  { method, headers: sent }: Dispatcher.DispatchOptions,
  { status, headers }: ResponseHead,
  hooks: EventHooks,
): Resumable | undefined {
  const header = readerOf(headers);
  if (isEventStream(status, header)) {
    // It cannot be read. It is passed on as it comes, and its break says why.
    if (isCoded(header)) return new Download(status, header, prose('a content coding') ?? '');
    return new BufferStream(requestHeader(sent, 'last-event-id'), hooks);
  }
  if (headers.etag === undefined || (status !== 200 && status !== 206)) return undefined;
  return String(method).toUpperCase() === 'GET' ? new Download(status, header) : undefined;
}

/** Handlers expect Buffers. */
class BufferStream extends EventStream {
  override take(part: Uint8Array): readonly Buffer[] {
    return super.take(part).map(bufferOf);
  }

  override mismatch(status: number, header: ReadHeader): string | undefined {
    return isCoded(header) ? (prose('another content coding') ?? '') : super.mismatch(status, header);
  }

  override left(): readonly Buffer[] {
    return super.left().map(bufferOf);
  }
}

function bufferOf(part: Uint8Array): Buffer {
  return part instanceof Buffer ? part : Buffer.from(part.buffer, part.byteOffset, part.byteLength);
}

/**
 * Says so if a request with credentials has ended at another origin than its own, by an interceptor below. It is not known what that
 * origin was sent.
 */
export function whyUnsafe(attempt: Sent | undefined, headers: RequestHeaders): string | undefined {
  const { starts = 0, hops = [] } = attempt ?? {};
  const [first, last] = [hops[0], hops.at(-1)].map((hop) => URL.parse(String(hop))?.origin);
  if (starts < 2 || (hops.length >= starts && first === last)) return undefined;
  return haveCredentials(Object.keys(headers ?? {}))
    ? (prose('a redirect of credentials to another origin') ?? '')
    : undefined;
}

/** A connection whose silence is noticed. */
export interface Silence extends Pausable {
  heard(): void;
  stop(): void;
}

/**
 * Finds out when a connection brings nothing for too long. The time in which its reader has paused it does not count.
 *
 * @param fell called after a silence of `idleMs` milliseconds
 */
export function watchSilence(
  connection: Pausable | null | undefined,
  clock: Clock,
  idleMs: number,
  fell: () => void,
): Silence {
  let heardAtMs = clock.now();
  let isPaused = false;
  let cancel: () => void;
  const heard = (): void => {
    heardAtMs = clock.now();
  };
  // Not a timer for each chunk: one that looks when the last came.
  const watch = (waitMs: number): void => {
    cancel = clock.schedule(() => {
      const leftMs = isPaused ? idleMs : heardAtMs + idleMs - clock.now();
      if (leftMs > 0) watch(leftMs);
      else fell();
    }, waitMs);
  };
  watch(idleMs);
  return {
    heard,
    stop: () => cancel(),
    pause() {
      isPaused = true;
      connection?.pause();
    },
    resume() {
      isPaused = false;
      heard();
      connection?.resume();
    },
  };
}
