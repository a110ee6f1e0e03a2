import type { AdapterUnderTest } from '@ebb/testing';
import { axiosClient } from '../../axios-client.ts';
import { webStream } from '../../fetch-client.ts';
import { factsOf } from '../../runtimes/facts.ts';

export const adapter: AdapterUnderTest = {
  ...factsOf({ row: 'axios, fetch', runtime: 'Node 24' }),
  name: 'axios, fetch',
  client: (policy) => axiosClient(policy, { adapter: 'fetch' }, webStream),
};
