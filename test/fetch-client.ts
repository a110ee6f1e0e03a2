// Also runs in browsers: imports nothing from Node.
import { type Attempt, attemptsOf, type Policy } from '@ebb/core';
import type * as suite from '@ebb/core/testing/suite';
import { type BaseFetch, createFetch, type EbbRequestInit } from '@ebb/fetch';

/** A request of a test. */
export interface Sent extends suite.Sent {
  /** What the function of `factory` does first. */
  readonly making?: () => Promise<unknown> | undefined;
}

/** A client with ebb, which a test closes. */
export interface Client extends suite.Client {
  send(url: string, sent: Sent, signal?: AbortSignal): Promise<suite.Got>;
  close(): Promise<void>;
}

/** The body to pass to a client: a stream, a function that returns one, or the text itself. */
export function bodyFor(sent: Sent, stream: (text: string) => unknown): unknown {
  if (sent.once !== undefined) return stream(sent.once);
  const { factory, making } = sent;
  if (factory === undefined) return sent.body;
  return () => making?.()?.then(() => stream(factory)) ?? stream(factory);
}

export const webStream = (text: string): unknown => new Blob([text]).stream();

/** The `RequestInit` for a request. */
export function initFor(sent: Sent, signal: AbortSignal | undefined): EbbRequestInit {
  const { method = 'GET', headers = {}, ebb } = sent;
  const body = (bodyFor(sent, webStream) ?? null) as BodyInit;
  const duplex = sent.once === undefined ? {} : { duplex: 'half' };
  return { method, headers, body, ebb, ...(signal && { signal }), ...duplex };
}

/** The fetch of the runtime. `extra` is for members of `RequestInit` that only this runtime has. */
export function fetchClient(policy: Policy, extra: object = {}, base: BaseFetch = fetch): Client {
  const ebbFetch = createFetch(policy, base);
  let history: readonly Attempt[] | undefined;
  return {
    async send(url, sent, signal) {
      const response = await ebbFetch(url, { ...initFor(sent, signal), ...extra });
      history = attemptsOf(response);
      return { status: response.status, body: await response.text() };
    },
    history: () => history,
    close: async () => undefined,
  };
}
