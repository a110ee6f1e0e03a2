import { ebbInterceptor as ebbAxios } from '@ebb/axios';
import type { FailureKind, Policy } from '@ebb/core';
import { failureKind } from '@ebb/core/adapter';
import { createFetch } from '@ebb/fetch';
import { ebbInterceptor as ebbUndici } from '@ebb/undici';
import axios from 'axios';
import { Agent, request } from 'undici';

/** What each client asks of an upstream. */
export interface AcquireOptions {
  /** What the screen calls it; short. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a caller got in the end: the response's status, or what failed where there was none. */
export type Result = number | FailureKind;

export interface Client {
  readonly name: string;
  /** Resolves with the status of the response; rejects with the client's own error where there is none. */
  send(url: string, ask: AcquireOptions): Promise<number>;
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
        // A response that fetch and undici resolve with, axios rejects with.
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

/** fetch, axios and undici: with one policy in all of them, or bare. */
export function clients(policy?: Policy): Client[] {
  return [fetchClient(policy), axiosClient(policy), undiciClient(policy)];
}

/** Sends one request, and tells what came of it. */
export async function resultOf(client: Client, url: string, ask: AcquireOptions): Promise<Result> {
  try {
    return await client.send(url, ask);
  } catch (error) {
    const kind = failureKind(error);
    if (kind === 'unknown') throw error;
    return kind;
  }
}
