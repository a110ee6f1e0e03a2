import { Agent as HttpAgent } from 'node:http';
import { createPolicy, type Policy, type PolicyOptions } from '@ebb/core';
import { type BaseFetch, createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';
import { resumable } from '@ebb/resume/fetch';
import nodeFetch from 'node-fetch';
import * as undici8 from 'undici';
// Node 24's fetch uses the dispatchers of this version.
import * as undici7 from 'undici7';
import { agentOf } from './agents.ts';
import type { Client, Making } from './client.ts';
import { fetchReply } from './reply.ts';

interface Base {
  readonly fetch: BaseFetch;
  /** What the init needs beside. */
  readonly extra: object;
  close(): Promise<void>;
}

function baseOf({ of }: Making): Base {
  if (of.client === 'node-fetch') {
    const agent = new HttpAgent({ keepAlive: true });
    return { fetch: nodeFetch as never, extra: { agent }, close: async () => agent.destroy() };
  }
  const isNative = of.client === 'fetch';
  const { agent, close } = agentOf(isNative ? (undici7 as never) : undici8);
  const fetch = (isNative ? globalThis.fetch : undici8.fetch) as BaseFetch;
  return { fetch, extra: { dispatcher: agent }, close };
}

/** A fetch with all that the parts of a case put around it and below it. */
function layered(making: Making, policy: Policy, base: BaseFetch): BaseFetch {
  const { hedge, isResuming } = making.of.parts;
  let fetch = base;
  if (hedge) fetch = hedged(fetch, { policy, share: 1, delayMs: hedge.delayMs, maxHedges: hedge.max });
  if (making.inner) fetch = createFetch(making.inner, fetch);
  fetch = createFetch(policy, fetch);
  return isResuming ? resumable(fetch, { policy }) : fetch;
}

export function fetchClient(making: Making): Client {
  const base = baseOf(making);
  const policy = making.policy && createPolicy(making.policy as PolicyOptions);
  const fetch = policy ? layered(making, policy, base.fetch) : base.fetch;
  return {
    async send({ url, method, headers, body, signal }) {
      const isStream =
        body instanceof ReadableStream ||
        (typeof body === 'object' && body !== null && Symbol.asyncIterator in body);
      const init = {
        method,
        headers,
        ...(body !== undefined && { body }),
        ...(isStream && { duplex: 'half' }),
        ...(signal && { signal }),
        ...base.extra,
      };
      return fetchReply(await fetch(url, init as RequestInit));
    },
    close: base.close,
  };
}
