import { Agent as HttpAgent } from 'node:http';
import type { Policy } from '@ebb/core';
import * as undici from 'undici';
// Node 24's fetch uses the dispatchers of this version.
import { Agent as NodeFetchAgent } from 'undici7';
import { axiosClient } from './axios-client.ts';
import { type Client, fetchClient } from './fetch-client.ts';
import { nodeStream } from './node-stream.ts';
import { undiciClient } from './undici-client.ts';

export type { Got } from '@ebb/testing';
export type { Client } from './fetch-client.ts';

/** Creates a client, optionally with a limited number of connections. */
export type MakeClient = (policy: Policy, limits?: { readonly connections: number }) => Client;

const globalFetchClient: MakeClient = (policy, limits) => {
  const agent = limits && new NodeFetchAgent(limits);
  const client = fetchClient(policy, agent && { dispatcher: agent });
  return { ...client, close: async () => agent?.close() };
};

const axiosOverHttp: MakeClient = (policy, limits) => {
  const agent = limits && new HttpAgent({ keepAlive: true, maxSockets: limits.connections });
  const client = axiosClient(policy, agent ? { httpAgent: agent } : {}, nodeStream);
  return { ...client, close: async () => agent?.destroy() };
};

export const clients: Readonly<Record<string, MakeClient>> = {
  fetch: globalFetchClient,
  axios: axiosOverHttp,
  undici: (policy, limits) => undiciClient(undici, policy, limits),
};
