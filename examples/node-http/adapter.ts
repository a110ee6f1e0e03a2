// What the suite must know of the adapter in request.ts.
import { Agent } from 'node:http';
import { Readable } from 'node:stream';
import { type Attempt, attemptsOf } from '@ebb/core';
import type { AdapterUnderTest } from '@ebb/testing';
import { createRequest } from './request.ts';

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
      async send(url, { once, body, ...rest }, signal) {
        const got = await request(url, { ...rest, body: once ? Readable.from([once]) : body, signal });
        history = attemptsOf(got);
        return { status: got.response.statusCode ?? 0, body: got.body.toString() };
      },
      history: () => history,
      close: async () => agent.destroy(),
    };
  },
};
