// Also runs in browsers: imports nothing from Node.
import { attemptsOf, type Policy } from '@ebb/core';
import { type BaseFetch, createFetch, type EbbFetch, type EbbRequestInit } from '@ebb/fetch';
import type * as suite from '@ebb/testing';

/** A request of a test. */
export interface Sent extends suite.RowRequest {
  /** What the function of `factory` does first. */
  readonly making?: () => Promise<unknown> | undefined;
}

/** A client with ebb, which a test closes. */
export interface Client extends suite.Client {
  send(url: string, sent: Sent, signal?: AbortSignal): Promise<suite.Got>;
  close(): Promise<void>;
}

/** The body to pass to a client: a stream, a function that returns one, or the text itself. */
export function bodyFor(sent: Sent, stream: (text: string, failing?: Promise<never>) => unknown): unknown {
  if (sent.once !== undefined) return stream(sent.once, sent.failing);
  const { factory, making } = sent;
  if (factory === undefined) return sent.body;
  return () => making?.()?.then(() => stream(factory)) ?? stream(factory);
}

/** @param failing if given, the stream has no text, and fails with what this rejects with */
export function webStream(text: string, failing?: Promise<never>): unknown {
  if (!failing) return new Blob([text]).stream();
  return new ReadableStream({
    start: (controller) => void failing.catch((error: unknown) => controller.error(error)),
  });
}

/** The `RequestInit` for a request. */
export function initFor(sent: Sent, signal: AbortSignal | undefined): EbbRequestInit {
  const { method = 'GET', headers = {}, ebb } = sent;
  const body = (bodyFor(sent, webStream) ?? null) as BodyInit;
  const duplex = sent.once === undefined ? {} : { duplex: 'half' };
  return { method, headers, body, ebb, ...(signal && { signal }), ...duplex };
}

/** The fetch of the runtime. `extra` is for members of `RequestInit` that only this runtime has. */
export function fetchClient(policy: Policy, extra: object = {}, base: BaseFetch = fetch): Client {
  return clientOf(createFetch(policy, base), extra);
}

/** Any fetch with ebb. */
export function clientOf(ebbFetch: EbbFetch, extra: object = {}): Client {
  let last: Response | undefined;
  return {
    async send(url, sent, signal) {
      const response = await ebbFetch(url, { ...initFor(sent, signal), ...extra });
      last = response;
      return { status: response.status, body: await response.text() };
    },
    // It grows while the body is read, if that is resumed.
    history: () => last && attemptsOf(last),
    close: async () => undefined,
  };
}
