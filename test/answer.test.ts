import { Agent as HttpAgent } from 'node:http';
import { coalesced as coalescedAxios } from '@ebb/axios/coalesced';
import { answering, type Part, type Policy } from '@ebb/core';
import { overridePolicy } from '@ebb/core/adapter';
import { coalesced } from '@ebb/fetch/coalesced';
import { suite } from '@ebb/testing';
import { Agent as NodeFetchAgent } from 'undici7';
import { describe, test } from 'vitest';
import { axiosClient } from './axios-client.ts';
import { fetchClient } from './fetch-client.ts';
import { nodeStream } from './node-stream.ts';
import { axiosOverHttp, traits } from './traits.ts';

/** Each request has another key. */
let requests = 0;
function keyOf(): string {
  requests += 1;
  return String(requests);
}

/** Parts that may answer a call, and do not: one around the other. */
const PARTS: Readonly<Record<'fetch' | 'axios', () => readonly Part[]>> = {
  fetch: () => [answering('none', () => undefined), coalesced({ keyOf })],
  axios: () => [answering<unknown>('none', async (_, send) => await send()), coalescedAxios({ keyOf })],
};

const withParts = (policy: Policy, parts: readonly Part[]): Policy =>
  overridePolicy(policy, { use: [...(policy.use ?? []), ...parts] });

// That parts stand around a call is not to be seen in anything else.
suite(
  { describe, test },
  {
    ...traits.fetch,
    name: 'fetch, answering and coalesced, over sockets',
    client: (policy, limits) => {
      const agent = new NodeFetchAgent(limits ?? {});
      const client = fetchClient(withParts(policy, PARTS.fetch()), { dispatcher: agent });
      return { ...client, close: () => agent.close() };
    },
  },
);
suite(
  { describe, test },
  {
    ...traits.axios,
    differs: { ...traits.axios.differs, ...axiosOverHttp },
    name: 'axios, answering and coalesced, over sockets',
    client: (policy, limits) => {
      const agent = limits && new HttpAgent({ keepAlive: true, maxSockets: limits.connections });
      const config = agent ? { httpAgent: agent } : {};
      const client = axiosClient(withParts(policy, PARTS.axios()), config, nodeStream);
      return { ...client, close: async () => agent?.destroy() };
    },
  },
);
