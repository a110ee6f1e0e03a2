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

/** Parts that may answer a call, and do not. */
const PARTS: Readonly<Record<string, Record<'fetch' | 'axios', () => Part>>> = {
  answering: {
    fetch: () => answering('none', () => undefined),
    axios: () => answering<unknown>('none', async (_, send) => await send()),
  },
  coalesced: {
    fetch: () => coalesced({ keyOf }),
    axios: () => coalescedAxios({ keyOf }),
  },
};

const withPart = (policy: Policy, part: Part): Policy =>
  overridePolicy(policy, { use: [...(policy.use ?? []), part] });

// That a part stands around a call is not to be seen in anything else.
for (const [name, part] of Object.entries(PARTS)) {
  suite(
    { describe, test },
    {
      ...traits.fetch,
      name: `fetch, ${name}, over sockets`,
      client: (policy, limits) => {
        const agent = new NodeFetchAgent(limits ?? {});
        const client = fetchClient(withPart(policy, part.fetch()), { dispatcher: agent });
        return { ...client, close: () => agent.close() };
      },
    },
  );
  suite(
    { describe, test },
    {
      ...traits.axios,
      differs: { ...traits.axios.differs, ...axiosOverHttp },
      name: `axios, ${name}, over sockets`,
      client: (policy, limits) => {
        const agent = limits && new HttpAgent({ keepAlive: true, maxSockets: limits.connections });
        const config = agent ? { httpAgent: agent } : {};
        const client = axiosClient(withPart(policy, part.axios()), config, nodeStream);
        return { ...client, close: async () => agent?.destroy() };
      },
    },
  );
}
