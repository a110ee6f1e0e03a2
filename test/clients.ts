import { Agent as HttpAgent } from 'node:http';
import { Readable } from 'node:stream';
import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import type { Policy } from '@ebb/core';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';
// Node 24's fetch uses the dispatchers of this version.
import { Agent as NodeFetchAgent } from 'undici7';
import { bodyFor, fetchClient } from './fetch-client.ts';
import type { Client } from './play.ts';

export type { Client, Got } from './play.ts';

/** Creates a client, optionally with a limited number of connections. */
export type MakeClient = (policy: Policy, limits?: { readonly connections: number }) => Client;

const nodeStream = (text: string) => Readable.from([Buffer.from(text)]);

const globalFetchClient: MakeClient = (policy, limits) => {
  const agent = limits && new NodeFetchAgent(limits);
  const client = fetchClient(policy, agent && { dispatcher: agent });
  return { ...client, close: async () => agent?.close() };
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
  fetch: globalFetchClient,
  axios: axiosClient,
  undici: undiciClient,
};
