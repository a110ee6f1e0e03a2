// Also runs in browsers: imports nothing from Node.
import type { Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import type { Client } from './play.ts';
import type { Sent } from './scenarios.ts';

/** The body to pass to a client: a stream, a function that returns one, or the text itself. */
export function bodyFor(sent: Sent, stream: (text: string) => unknown): unknown {
  if (sent.once !== undefined) return stream(sent.once);
  const { factory } = sent;
  return factory === undefined ? sent.body : () => stream(factory);
}

const webStream = (text: string) => new Blob([text]).stream();

/** The fetch of the runtime. `extra` is for members of `RequestInit` that only this runtime has. */
export function fetchClient(policy: Policy, extra: object = {}): Client {
  const ebbFetch = createFetch(policy);
  return {
    async send(url, { method = 'GET', headers = {}, ...sent }) {
      const body = bodyFor(sent, webStream);
      const duplex = sent.once === undefined ? {} : { duplex: 'half' };
      const { ebb } = sent;
      const init = { method, headers, body: (body ?? null) as BodyInit, ebb, ...duplex, ...extra };
      const response = await ebbFetch(url, init);
      return { status: response.status, body: await response.text() };
    },
    close: async () => undefined,
  };
}
