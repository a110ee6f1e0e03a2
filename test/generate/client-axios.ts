import { Agent as HttpAgent } from 'node:http';
import type { Readable } from 'node:stream';
import { createPolicy } from '@ebb/core';
import { type BaseFetch, createFetch } from '@ebb/fetch';
import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import * as undici7 from 'undici7';
import { FakeXhr } from '../../packages/axios/test/fake-xhr.ts';
import { agentOf } from './agents.ts';
import type { Client, Making, Sent } from './client.ts';
import { type Reply, readReply, streamReply, webReply } from './reply.ts';

/** The fetch of each case whose requests are sent by XMLHttpRequest, by the host that it sends to. */
const fetches = new Map<string, typeof fetch>();
FakeXhr.fetch = (input, init) => (fetches.get(new URL(String(input)).host) ?? fetch)(input, init);
// axios looks for it when it is loaded.
(globalThis as { XMLHttpRequest?: unknown }).XMLHttpRequest = FakeXhr;
const { default: axios } = await import('axios');
const { ebbInterceptor } = await import('@ebb/axios');
const { hedged } = await import('@ebb/hedge/axios');

interface Wire {
  readonly config: AxiosRequestConfig;
  /** Before a request to this host. */
  reaches(host: string): void;
  close(): Promise<void>;
}

/** The fetch below axios, with its own layers. */
function fetchBelow({ inner }: Making): { fetch: BaseFetch; close(): Promise<void> } {
  const { agent, close } = agentOf(undici7 as never);
  const bare: BaseFetch = (input, init) =>
    globalThis.fetch(input, { ...init, dispatcher: agent } as RequestInit);
  return { fetch: inner ? createFetch(inner, bare) : bare, close };
}

function wireOf(making: Making): Wire {
  const { client } = making.of;
  if (client === 'axios-http') {
    const agent = new HttpAgent({ keepAlive: true });
    const close = async (): Promise<void> => agent.destroy();
    return { config: { adapter: 'http', httpAgent: agent }, reaches: () => undefined, close };
  }
  const { fetch, close } = fetchBelow(making);
  if (client === 'axios-fetch')
    return { config: { adapter: 'fetch', env: { fetch: fetch as never } }, reaches: () => undefined, close };
  const hosts = new Set<string>();
  return {
    config: { adapter: 'xhr' },
    reaches(host) {
      hosts.add(host);
      fetches.set(host, fetch as never);
    },
    async close() {
      for (const host of hosts) fetches.delete(host);
      await close();
    },
  };
}

function replyOf({ status, data }: AxiosResponse<unknown>): Reply {
  if (data instanceof ReadableStream) return webReply(status, data);
  if (typeof (data as Readable | undefined)?.pipe === 'function')
    return streamReply(status, data as Readable);
  return readReply(status, data);
}

export function axiosClient(making: Making): Client {
  const wire = wireOf(making);
  const { client, parts } = making.of;
  const responseType = parts.responseType ?? 'arraybuffer';
  // A response is parsed neither as JSON nor in any other way: the bytes are compared.
  const config = { responseType: client === 'axios-xhr' ? 'text' : responseType, ...wire.config };
  const policy = making.policy && createPolicy(making.policy);
  const { hedge } = parts;
  const hedging = hedge &&
    policy && {
      adapter: hedged(
        { policy, share: 1, delayMs: hedge.delayMs, maxHedges: hedge.max },
        wire.config.adapter as string,
      ),
    };
  const instance = axios.create({
    ...config,
    ...hedging,
    transformResponse: [(data: unknown) => data],
  } as AxiosRequestConfig);
  if (policy) instance.interceptors.request.use(ebbInterceptor(policy));
  return {
    async send({ url, method, headers, body, signal }: Sent) {
      wire.reaches(new URL(url).host);
      const call = {
        url,
        method,
        headers,
        ...(body !== undefined && { data: body }),
        ...(signal && { signal }),
      };
      try {
        const response = await instance.request<unknown>(call as AxiosRequestConfig);
        return replyOf(response);
      } catch (error) {
        if (!axios.isAxiosError(error) || error.response === undefined) throw error;
        // A body that broke has a response as well, without the bytes.
        if (error.response.data === undefined) throw error;
        return replyOf(error.response);
      }
    },
    close: wire.close,
  };
}
