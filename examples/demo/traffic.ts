import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import type { FailureKind, Policy } from '@ebb/core';
import { failureKind } from '@ebb/core/adapter';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';

/** A request that each client sends. */
export interface DemoRequest {
  /** A short name for the screen. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The status of the response, or the kind of the failure. */
export type Result = number | FailureKind;

export interface Client {
  readonly name: string;
  /** Resolves with the status, or rejects with the client's own error. */
  send(url: string, ask: DemoRequest): Promise<number>;
  close(): Promise<void>;
}

function fetchClient(policy?: Policy): Client {
  const client = policy === undefined ? fetch : createFetch(policy);
  return {
    name: 'fetch',
    async send(url, { method, headers = {}, body = null }) {
      const response = await client(url, { method, headers, body });
      await response.arrayBuffer();
      return response.status;
    },
    close: async () => {},
  };
}

function axiosClient(policy?: Policy): Client {
  const client = axios.create();
  if (policy !== undefined) client.interceptors.request.use(ebbAxios(policy));
  return {
    name: 'axios',
    async send(url, { method, headers = {}, body = null }) {
      try {
        return (await client.request({ url, method, headers, data: body })).status;
      } catch (error) {
        // axios rejects for an error status, where fetch and undici resolve.
        if (axios.isAxiosError(error) && error.response !== undefined) return error.response.status;
        throw error;
      }
    },
    close: async () => {},
  };
}

function undiciClient(policy?: Policy): Client {
  const agent = new Agent();
  const dispatcher = policy === undefined ? agent : agent.compose(ebbUndici(policy));
  return {
    name: 'undici',
    async send(url, { method, headers = {}, body = null }) {
      const response = await request(url, { dispatcher, method, headers, body });
      await response.body.dump();
      return response.statusCode;
    },
    close: () => agent.close(),
  };
}

/** fetch, axios and undici, with one policy or bare. */
export function clients(policy?: Policy): Client[] {
  return [fetchClient(policy), axiosClient(policy), undiciClient(policy)];
}

/** Sends one request and returns its result. Errors of an unknown kind are thrown. */
export async function resultOf(client: Client, url: string, ask: DemoRequest): Promise<Result> {
  try {
    return await client.send(url, ask);
  } catch (error) {
    const kind = failureKind(error);
    if (kind === 'unknown') throw error;
    return kind;
  }
}
