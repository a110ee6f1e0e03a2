import { Agent as HttpAgent } from 'node:http';
import { deduplicate as deduplicateAxios } from '@ebb/axios/deduplicate';
import type { Middleware, Policy } from '@ebb/core';
import { overridePolicy } from '@ebb/core/adapter';
import { deduplicate } from '@ebb/fetch/deduplicate';
import { suite } from '@ebb/testing';
import { Agent as NodeFetchAgent } from 'undici7';
import { describe, test } from 'vitest';
import { axiosClient } from './axios-client.ts';
import { fetchClient } from './fetch-client.ts';
import { nodeStream } from './node-stream.ts';
import { eachNth } from './pairs.ts';
import { axiosOverHttp, traits } from './traits.ts';

/** Each request has another key. */
let requests = 0;
function keyOf(): string {
  requests += 1;
  return String(requests);
}

/** Middleware that leaves its calls as they are. */
const MIDDLEWARE: Readonly<Record<string, Record<'fetch' | 'axios', () => Middleware>>> = {
  'a function': {
    fetch: () => () => undefined,
    axios: () => async (_, send) => await send(),
  },
  deduplicate: {
    fetch: () => deduplicate({ keyOf }),
    axios: () => deduplicateAxios({ keyOf }),
  },
};

const withOne = (policy: Policy, one: Middleware): Policy =>
  overridePolicy(policy, { middleware: [...(policy.middleware ?? []), one] });

// A caller sees in nothing else that middleware stands around its call. Each row is played with both, over one client each.
for (const [at, [name, make]] of Object.entries(MIDDLEWARE).entries()) {
  suite(eachNth({ describe, test }, 2, at), {
    ...traits.fetch,
    name: `fetch, ${name}, over sockets`,
    client: (policy, limits) => {
      const agent = new NodeFetchAgent(limits ?? {});
      const client = fetchClient(withOne(policy, make.fetch()), { dispatcher: agent });
      return { ...client, close: () => agent.close() };
    },
  });
  suite(eachNth({ describe, test }, 2, at + 1), {
    ...traits.axios,
    differs: { ...traits.axios.differs, ...axiosOverHttp },
    name: `axios, ${name}, over sockets`,
    client: (policy, limits) => {
      const agent = limits && new HttpAgent({ keepAlive: true, maxSockets: limits.connections });
      const config = agent ? { httpAgent: agent } : {};
      const client = axiosClient(withOne(policy, make.axios()), config, nodeStream);
      return { ...client, close: async () => agent?.destroy() };
    },
  });
}
