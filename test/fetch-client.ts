// Imported by what runs in browsers: nothing of Node's stands here.
import type { Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import type { Client } from './play.ts';
import type { Sent } from './scenarios.ts';

/** The body that a client is given: a stream, a function that makes one, or the text itself. */
export function bodyFor(sent: Sent, stream: (text: string) => unknown): unknown {
  if (sent.once !== undefined) return stream(sent.once);
  const { factory } = sent;
  return factory === undefined ? sent.body : () => stream(factory);
}

const webStream = (text: string) => new Blob([text]).stream();

/** Whichever fetch the runtime has. `extra` is for members of an init that only this runtime knows. */
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
