import type { Duplex } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { RawHeaders, ResponseHead, ResponseHeaders } from './headers.ts';

/** The events of an attempt. */
export interface AttemptListener<Attempt> {
  /** It has a connection. */
  sent(attempt: Attempt): void;
  /** An informational response (1xx). */
  informed(attempt: Attempt, head: ResponseHead): void;
  /** The headers of the response. The listener must forward the attempt, hold it, set it aside or drop it. */
  responded(attempt: Attempt, head: ResponseHead): void;
  upgraded(attempt: Attempt, head: ResponseHead, socket: Duplex): unknown;
  /** All of a response that was held has arrived. It is still to be played. */
  arrived(attempt: Attempt): void;
  data(attempt: Attempt, chunk: Buffer): void;
  ended(attempt: Attempt, trailers: ResponseHeaders, rawTrailers: RawHeaders | undefined): void;
  /** It failed before the headers of the response. */
  failed(attempt: Attempt, error: unknown): void;
  /** It failed in the body of a response that is being forwarded. */
  broke(attempt: Attempt, error: unknown): void;
  /** A dispatcher reports what the listener threw when it was given an error. */
  failedAgain(error: unknown): void;
}

/** The attempt whose response is held. It gets what is played. */
export interface HeldListener {
  /** True once nothing more is to be played. */
  readonly over: boolean;
  data(chunk: Buffer): void;
  end(trailers: ResponseHeaders, rawTrailers: RawHeaders): void;
  fail(error: unknown): void;
  /** The handler has thrown. */
  abort(error: unknown): void;
  /** All that was held has been played. The rest comes from the connection. */
  playedAll(): void;
  /** Aborts the connection of a redirect. What was kept of its body can still be played. */
  discard(reason: unknown): void;
  /** Aborts the connection of a response that was set aside. */
  giveUp(): void;
}

/** Receives the progress of an upload. */
export interface UploadListener {
  /** @param startsAt offset of the chunk in the body, in bytes */
  bodySent(startsAt: number, chunk: Buffer | string): void;
  /** @param isAgain true from the second request of the same attempt on, as after a redirect */
  requestSent(isAgain: boolean): void;
}

/** What an attempt is called with while its upload is sent. */
export function uploadEvents(
  upload: UploadListener,
): Required<Pick<Dispatcher.DispatchHandler, 'onBodySent' | 'onRequestSent'>> {
  let sentBytes = 0;
  let sends = 0;
  return {
    onBodySent(chunk) {
      upload.bodySent(sentBytes, chunk);
      sentBytes += Buffer.byteLength(chunk);
    },
    onRequestSent() {
      sends += 1;
      upload.requestSent(sends > 1);
    },
  };
}
