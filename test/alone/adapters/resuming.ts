import { createFetch } from '@ebb/fetch';
import { resumable } from '@ebb/resume/fetch';
import type { AdapterUnderTest } from '@ebb/testing';
import { clientOf } from '../../fetch-client.ts';
import { factsOf } from '../../runtimes/facts.ts';

export const adapter: AdapterUnderTest = {
  ...factsOf({ row: 'fetch, resuming', runtime: 'Node 24' }),
  name: 'fetch, resuming',
  client: (policy) => clientOf(resumable(createFetch(policy), { policy })),
};
