// What the suite must know of the adapter in request.ts.
import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { type Attempt, attemptsOf } from '@ebb/core';
import type { AdapterUnderTest } from '@ebb/testing';
import { createRequest } from './request.ts';

/** A stream of a text; if `failing` is given, one without a text, which fails as that does. */
function streamOf(text: string, failing: Promise<never> | undefined): Readable {
  if (!failing) return Readable.from([text]);
  const stream = new Readable({ read: () => undefined });
  failing.catch((error) => stream.destroy(error));
  return stream;
}

export const adapter: AdapterUnderTest = {
  name: 'node:http',
  does: ['wholeBodies'],
  lacks: {
    bodyFactories: 'a body is a text or a stream',
    redirects: 'node:http follows no redirects',
  },
  client(policy, limits) {
    const agent = new Agent({ keepAlive: true, maxSockets: limits?.connections ?? 10 });
    const request = createRequest(policy, agent);
    let history: readonly Attempt[] | undefined;
    return {
      async send(url, { once, failing, body, ...rest }, signal) {
        const upload = once === undefined ? body : streamOf(once, failing);
        const got = await request(url, { ...rest, body: upload, signal });
        history = attemptsOf(got);
        return { status: got.response.statusCode ?? 0, body: got.body.toString() };
      },
      history: () => history,
      close: async () => agent.destroy(),
    };
  },
};
