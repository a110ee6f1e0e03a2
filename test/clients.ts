import { Agent as HttpAgent } from 'node:http';
import { Readable } from 'node:stream';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import type { Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';
// Node 24's own fetch speaks to the dispatchers of this version.
import { Agent as NodeFetchAgent } from 'undici7';
import type { Sent } from './scenarios.ts';

/** What a caller gets, in terms that the three clients share. */
export interface Got {
  readonly status: number;
  readonly body: string;
}

/** A client with a policy in it. Rejects as the client itself does, but for axios's errors that hold a response. */
export interface Client {
  send(url: string, sent: Sent): Promise<Got>;
  close(): Promise<void>;
}

/** Makes one of the three clients; with a single connection, if so asked. */
export type MakeClient = (policy: Policy, limits?: { readonly connections: number }) => Client;

function bodyFor(sent: Sent, stream: (text: string) => unknown): unknown {
  if (sent.once !== undefined) return stream(sent.once);
  const { factory } = sent;
  return factory === undefined ? sent.body : () => stream(factory);
}

const webStream = (text: string) => new Blob([text]).stream();
const nodeStream = (text: string) => Readable.from([Buffer.from(text)]);

const fetchClient: MakeClient = (policy, limits) => {
  const agent = limits && new NodeFetchAgent(limits);
  const ebbFetch = createFetch(policy);
  return {
    async send(url, { method = 'GET', headers = {}, ...sent }) {
      const body = bodyFor(sent, webStream);
      const extra = {
        ...(agent && { dispatcher: agent }),
        ...(sent.once === undefined ? {} : { duplex: 'half' }),
      };
      const { ebb } = sent;
      const init = { method, headers, body: (body ?? null) as BodyInit, ebb, ...extra };
      const response = await ebbFetch(url, init);
      return { status: response.status, body: await response.text() };
    },
    close: async () => agent?.close(),
  };
};

const axiosClient: MakeClient = (policy, limits) => {
  const agent = limits && new HttpAgent({ keepAlive: true, maxSockets: limits.connections });
  const client = axios.create({ responseType: 'text', ...(agent && { httpAgent: agent }) });
  client.interceptors.request.use(ebbAxios(policy));
  return {
    async send(url, { method = 'GET', headers = {}, ...sent }) {
      const data = bodyFor(sent, nodeStream);
      try {
        const response = await client.request<string>({ url, method, headers, data, ebb: sent.ebb });
        return { status: response.status, body: response.data };
      } catch (error) {
        if (!axios.isAxiosError(error) || error.response === undefined) throw error;
        return { status: error.response.status, body: String(error.response.data) };
      }
    },
    close: async () => agent?.destroy(),
  };
};

const undiciClient: MakeClient = (policy, limits = { connections: 10 }) => {
  const agent = new Agent(limits);
  const dispatcher = agent.compose(ebbUndici(policy));
  return {
    async send(url, { method = 'GET', headers = {}, ...sent }) {
      const body = bodyFor(sent, nodeStream) as string;
      const response = await request(url, {
        method: method as 'GET',
        headers,
        body,
        dispatcher,
        ebb: sent.ebb,
      });
      return { status: response.statusCode, body: await response.body.text() };
    },
    close: () => agent.close(),
  };
};

export const clients: Readonly<Record<string, MakeClient>> = {
  fetch: fetchClient,
  axios: axiosClient,
  undici: undiciClient,
};
