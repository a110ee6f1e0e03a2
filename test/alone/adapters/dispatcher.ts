import type { AdapterUnderTest } from '@ebb/testing';
import * as undici from 'undici7';
import { factsOf } from '../../runtimes/facts.ts';
import { dispatcherFetchClient } from '../../undici-client.ts';

export const adapter: AdapterUnderTest = {
  ...factsOf({ row: "Node's fetch", version: '7.30', runtime: 'Node 24' }),
  name: "Node's fetch",
  client: (policy) => dispatcherFetchClient(fetch, undici as never, policy),
};
