import { Agent } from 'node:http';
import type { AdapterUnderTest } from '@ebb/testing';
import { axiosClient } from '../../axios-client.ts';
import { nodeStream } from '../../node-stream.ts';
import { axiosOverHttp, traits } from '../../traits.ts';

export const adapter: AdapterUnderTest = {
  ...traits.axios,
  differs: { ...traits.axios.differs, ...axiosOverHttp },
  name: 'axios',
  client(policy, limits) {
    const agent = limits && new Agent({ keepAlive: true, maxSockets: limits.connections });
    const client = axiosClient(policy, agent ? { httpAgent: agent } : {}, nodeStream);
    return { ...client, close: async () => agent?.destroy() };
  },
};
