import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import type { Policy } from '@ebb/core';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';

interface Call {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Sends one request with a policy; resolves or rejects as the client does. */
export type Send = (policy: Policy, url: string, call?: Call) => Promise<unknown>;

export const senders: Readonly<Record<string, Send>> = {
  fetch: async (policy, url, call) => (await createFetch(policy)(url, call)).text(),
  axios: (policy, url, { body, ...call } = {}) => {
    const client = axios.create({ validateStatus: () => true });
    client.interceptors.request.use(ebbAxios(policy));
    return client.request({ url, ...(body !== undefined && { data: body }), ...call });
  },
  undici: async (policy, url, call) => {
    const agent = new Agent();
    try {
      const response = await request(url, { ...call, dispatcher: agent.compose(ebbUndici(policy)) });
      await response.body.text();
    } finally {
      await agent.destroy();
    }
  },
};
