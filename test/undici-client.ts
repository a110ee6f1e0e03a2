import { attemptsOf, type Policy } from '@ebb/core';
import { ebbInterceptor } from '@ebb/undici';
import type * as undici8 from 'undici';
import { bodyFor, type Client, initFor } from './fetch-client.ts';
import { nodeStream } from './node-stream.ts';

/** What is used of undici 7 or 8. */
export type Undici = Pick<typeof undici8, 'Agent' | 'request'>;

/** `request` of undici. */
export function undiciClient(
  { Agent, request }: Undici,
  policy: Policy,
  limits: { readonly connections: number } = { connections: 10 },
): Client {
  const agent = new Agent(limits);
  const dispatcher = agent.compose(ebbInterceptor(policy));
  let context: object | undefined;
  return {
    async send(url, { method = 'GET', headers = {}, ...sent }, signal) {
      const body = bodyFor(sent, nodeStream) as string;
      const response = await request(url, {
        method: method as 'GET',
        headers,
        body,
        dispatcher,
        ebb: sent.ebb,
        ...(signal && { signal }),
      });
      context = response.context as object;
      return { status: response.statusCode, body: await response.body.text() };
    },
    // It grows while the body is read, if that is resumed.
    history: () => context && attemptsOf(context),
    close: () => agent.close(),
  };
}

/** A fetch over a dispatcher with ebb. Its responses have no history. */
export function dispatcherFetchClient(fetch: unknown, { Agent }: Undici, policy: Policy): Client {
  const agent = new Agent({ connections: 10 });
  const dispatcher = agent.compose(ebbInterceptor(policy));
  return {
    async send(url, sent, signal) {
      const init = { ...initFor(sent, signal), dispatcher };
      const response = await (fetch as typeof globalThis.fetch)(url, init as RequestInit);
      return { status: response.status, body: await response.text() };
    },
    close: () => agent.destroy(),
  };
}
