import type { Policy } from '@ebb/core';
import type { AdapterUnderTest, Client } from '@ebb/testing';
import { fetchClient } from '../../fetch-client.ts';
import { traits } from '../../traits.ts';

/** undici is imported only for the rows that limit connections: it replaces what is below the fetch of Node. */
function limited(policy: Policy, limits: { readonly connections: number }): Client {
  const made = import('undici7').then(({ Agent }) => {
    const agent = new Agent(limits);
    return { agent, client: fetchClient(policy, { dispatcher: agent }) };
  });
  return {
    send: async (...call) => (await made).client.send(...call),
    close: async () => (await made).agent.close(),
  };
}

export const adapter: AdapterUnderTest = {
  ...traits.fetch,
  name: 'fetch',
  client: (policy, limits) => (limits === undefined ? fetchClient(policy) : limited(policy, limits)),
};
