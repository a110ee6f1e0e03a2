// What really happened, and the kind of each runtime's own error. If the text of an error matters to `failureKind`, add a row here:
// do not write the text from memory.
import type { FailureKind } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import type { RuntimeName } from './names.ts';

/** The URLs of the failing servers, by what they do. */
export interface Troubles {
  /** Refuses the connection. */
  readonly refused: string;
  /** Resets the connection after the request. */
  readonly reset: string;
  /** Closes the connection without a response. */
  readonly closed: string;
  /** Announce ten bytes, send five, then reset, close or stay silent. */
  readonly halfReset: string;
  readonly halfClosed: string;
  readonly halfSilent: string;
  /** Closes the connection before the last chunk. */
  readonly halfChunked: string;
  /** Reads the request and never responds. */
  readonly silent: string;
  /** Closes the connection after the end of a chunked request. */
  readonly ended: string;
  /** Speaks another protocol. */
  readonly notHttp: string;
  /** Closes the connection at the start of the TLS handshake. */
  readonly noTls: string;
  /** Has a self-signed certificate. */
  readonly certificate: string;
  /** Sends an uncompressed body as gzip. */
  readonly notGzip: string;
  /** Redirects every request to itself. */
  readonly redirected: string;
}

/** A request that fails, and the failure kind that it must be given. */
export interface Situation {
  readonly name: string;
  /** Rejects with the runtime's own error. */
  readonly meet: (at: Troubles) => Promise<unknown>;
  readonly kind: FailureKind;
  /** The runtimes whose error looks like that of another kind. */
  readonly but?: Readonly<Partial<Record<RuntimeName, { readonly kind: FailureKind; readonly why: string }>>>;
}

const inAPage = {
  kind: 'network',
  why: 'a page may only learn that the request failed',
} as const;
const inAWorker = { kind: 'network', why: 'it rejects with the message of a lost connection' } as const;

const inABody = { kind: 'unknown', why: 'a page only learns that reading has failed' } as const;

const fetch = createFetch({ maxRetries: 0 });

const text = async (url: string, init?: RequestInit): Promise<string> => (await fetch(url, init)).text();

/** Aborts while the server has the request. */
async function abortedMeanwhile(url: string, reason?: unknown): Promise<unknown> {
  const controller = new AbortController();
  const response = text(url, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  return response;
}

export const situations: readonly Situation[] = [
  {
    name: 'a refused connection',
    meet: (at) => text(at.refused),
    kind: 'connect',
    but: { Chromium: inAPage, workerd: inAWorker },
  },
  {
    name: 'a host name without an address',
    meet: () => text('http://no-such-host.invalid/'),
    kind: 'connect',
    but: {
      Chromium: inAPage,
      workerd: { kind: 'unknown', why: 'it rejects with an internal error that has only a log reference' },
    },
  },
  { name: 'a reset before the response', meet: (at) => text(at.reset), kind: 'network' },
  { name: 'a close before the response', meet: (at) => text(at.closed), kind: 'network' },
  {
    name: 'a reset before the response to a POST',
    meet: (at) => text(at.reset, { method: 'POST', body: 'x' }),
    kind: 'network',
  },
  {
    name: 'a reset in the body',
    meet: (at) => text(at.halfReset),
    kind: 'network',
    but: { Chromium: inABody },
  },
  {
    name: 'a close in the body',
    meet: (at) => text(at.halfClosed),
    kind: 'network',
    but: { Chromium: inABody },
  },
  {
    name: 'a close in a chunked body',
    meet: (at) => text(at.halfChunked),
    kind: 'network',
    but: { Chromium: inABody },
  },
  {
    name: 'a server that speaks another protocol',
    meet: (at) => text(at.notHttp),
    kind: 'unknown',
    but: { Chromium: inAPage, workerd: inAWorker },
  },
  { name: 'a handshake that is cut off', meet: (at) => text(at.noTls), kind: 'network' },
  {
    name: 'a self-signed certificate',
    meet: (at) => text(at.certificate),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  {
    name: "a redirect with redirect: 'error'",
    meet: (at) => text(at.redirected, { redirect: 'error' }),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  {
    name: 'endless redirects',
    meet: (at) => text(at.redirected),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  {
    name: 'a body that is not valid gzip',
    meet: (at) => text(at.notGzip),
    kind: 'unknown',
  },
  {
    name: 'no response before the timeout',
    meet: (at) => text(at.silent, { signal: AbortSignal.timeout(50) }),
    kind: 'timeout',
  },
  {
    name: 'no complete body before the timeout',
    meet: (at) => text(at.halfSilent, { signal: AbortSignal.timeout(200) }),
    kind: 'timeout',
  },
  { name: 'an abort', meet: (at) => abortedMeanwhile(at.silent), kind: 'aborted' },
  { name: 'an abort in the body', meet: (at) => abortedMeanwhile(at.halfSilent), kind: 'aborted' },
  {
    name: 'an abort before the request',
    meet: (at) => text(at.silent, { signal: AbortSignal.abort() }),
    kind: 'aborted',
  },
  {
    name: 'an abort with a custom reason',
    meet: (at) => abortedMeanwhile(at.silent, new Error('enough')),
    kind: 'unknown',
  },
  { name: 'an invalid URL', meet: () => text('http://'), kind: 'unknown' },
  {
    name: 'an unknown scheme',
    meet: () => text('nothing://127.0.0.1/'),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  { name: 'an invalid header', meet: (at) => text(at.silent, { headers: { 'a b': 'c' } }), kind: 'unknown' },
  {
    name: 'an invalid method',
    meet: (at) => text(at.closed, { method: 'A B' }),
    kind: 'unknown',
    but: { Bun: { kind: 'network', why: 'it sends a GET instead' } },
  },
  { name: 'a GET with a body', meet: (at) => text(at.silent, { body: 'x' }), kind: 'unknown' },
  {
    name: 'a body stream that throws',
    meet: (at) =>
      text(at.ended, {
        method: 'POST',
        duplex: 'half',
        body: new ReadableStream({
          pull() {
            throw new RangeError('bug');
          },
        }),
      } as RequestInit),
    kind: 'unknown',
    but: {
      Chromium: { kind: 'network', why: 'its preflight fails first' },
      workerd: { kind: 'network', why: 'the upload ends as if it were complete' },
    },
  },
];
