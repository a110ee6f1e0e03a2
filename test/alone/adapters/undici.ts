import type { AdapterUnderTest } from '@ebb/testing';
import * as undici from 'undici';
import { traits } from '../../traits.ts';
import { undiciClient } from '../../undici-client.ts';

export const adapter: AdapterUnderTest = {
  ...traits.undici,
  name: 'undici',
  client: (policy, limits) => undiciClient(undici, policy, limits),
};
