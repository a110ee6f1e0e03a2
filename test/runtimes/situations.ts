import type { FailureKind } from '@ebb/core';
import type { RuntimeName } from './names.ts';

/** Where the servers are that fail their clients, by what they do. */
export interface Troubles {
  /** Nothing listens there. */
  readonly refused: string;
  /** Resets the connection when the request is there. */
  readonly reset: string;
  /** Closes it in good order, without an answer. */
  readonly closed: string;
  /** Promise ten bytes, send five, then reset, close or say nothing more. */
  readonly halfReset: string;
  readonly halfClosed: string;
  readonly halfSilent: string;
  /** Closes a chunked body without its end. */
  readonly halfChunked: string;
  /** Takes the request and never answers. */
  readonly silent: string;
  /** Closes it when the end of a chunked request is there. */
  readonly ended: string;
  /** Speaks another protocol. */
  readonly notHttp: string;
  /** Hangs up on the first bytes of a TLS handshake. */
  readonly noTls: string;
  /** Has a certificate that its own key signed. */
  readonly certificate: string;
  /** Says that its body is compressed, which it is not. */
  readonly notGzip: string;
  /** Redirects each request to itself. */
  readonly redirected: string;
}

/** Something that a client meets, and what kind of failure it is. */
export interface Situation {
  readonly name: string;
  /** Rejects with the runtime's own error. */
  readonly meet: (at: Troubles) => Promise<unknown>;
  readonly kind: FailureKind;
  /** The runtimes that do not tell it from something else. */
  readonly but?: Readonly<Partial<Record<RuntimeName, { readonly kind: FailureKind; readonly why: string }>>>;
}

const inAPage = {
  kind: 'network',
  why: 'a page must not learn more of other hosts than that it failed',
} as const;
const inAWorker = { kind: 'network', why: 'it is told in the words of any lost connection' } as const;

const text = async (url: string, init?: RequestInit): Promise<string> => (await fetch(url, init)).text();

/** Aborts once a connection has carried the request. */
async function abortedMeanwhile(url: string, reason?: unknown): Promise<unknown> {
  const controller = new AbortController();
  const answer = text(url, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 20);
  return answer;
}

export const situations: readonly Situation[] = [
  {
    name: 'a refused connection',
    meet: (at) => text(at.refused),
    kind: 'connect',
    but: { Chromium: inAPage, workerd: inAWorker },
  },
  {
    name: 'a name without an address',
    meet: () => text('http://no-such-host.invalid/'),
    kind: 'connect',
    but: {
      Chromium: inAPage,
      workerd: { kind: 'unknown', why: 'it is told as an internal error, with a number for the log' },
    },
  },
  { name: 'a reset before the answer', meet: (at) => text(at.reset), kind: 'network' },
  { name: 'a close before the answer', meet: (at) => text(at.closed), kind: 'network' },
  {
    name: 'a reset before the answer to a POST',
    meet: (at) => text(at.reset, { method: 'POST', body: 'x' }),
    kind: 'network',
  },
  { name: 'a reset in the body', meet: (at) => text(at.halfReset), kind: 'network' },
  { name: 'a close in the body', meet: (at) => text(at.halfClosed), kind: 'network' },
  { name: 'a close in a chunked body', meet: (at) => text(at.halfChunked), kind: 'network' },
  {
    name: 'a server that speaks another protocol',
    meet: (at) => text(at.notHttp),
    kind: 'unknown',
    but: { Chromium: inAPage, workerd: inAWorker },
  },
  { name: 'a handshake that is cut off', meet: (at) => text(at.noTls), kind: 'network' },
  {
    name: 'a certificate that no one vouches for',
    meet: (at) => text(at.certificate),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  {
    name: 'a redirect that is not wanted',
    meet: (at) => text(at.redirected, { redirect: 'error' }),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  {
    name: 'redirects without end',
    meet: (at) => text(at.redirected),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  {
    name: 'a body that is not compressed as it says',
    meet: (at) => text(at.notGzip),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  {
    name: 'no answer in time',
    meet: (at) => text(at.silent, { signal: AbortSignal.timeout(50) }),
    kind: 'timeout',
  },
  {
    name: 'no whole body in time',
    meet: (at) => text(at.halfSilent, { signal: AbortSignal.timeout(200) }),
    kind: 'timeout',
  },
  { name: 'an abort', meet: (at) => abortedMeanwhile(at.silent), kind: 'aborted' },
  { name: 'an abort in the body', meet: (at) => abortedMeanwhile(at.halfSilent), kind: 'aborted' },
  {
    name: 'an abort beforehand',
    meet: (at) => text(at.silent, { signal: AbortSignal.abort() }),
    kind: 'aborted',
  },
  {
    name: 'an abort for a reason of one’s own',
    meet: (at) => abortedMeanwhile(at.silent, new Error('enough')),
    kind: 'unknown',
  },
  { name: 'a wrong URL', meet: () => text('http://'), kind: 'unknown' },
  {
    name: 'a wrong scheme',
    meet: () => text('nothing://127.0.0.1/'),
    kind: 'unknown',
    but: { Chromium: inAPage },
  },
  { name: 'a wrong header', meet: (at) => text(at.silent, { headers: { 'a b': 'c' } }), kind: 'unknown' },
  {
    name: 'a wrong method',
    meet: (at) => text(at.closed, { method: 'A B' }),
    kind: 'unknown',
    but: { Bun: { kind: 'network', why: 'it sends a GET in its place' } },
  },
  { name: 'a GET with a body', meet: (at) => text(at.silent, { body: 'x' }), kind: 'unknown' },
  {
    name: 'a bug in a body’s stream',
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
      workerd: { kind: 'network', why: 'the upload ends as if it were whole' },
    },
  },
];
