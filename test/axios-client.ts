// Also runs in browsers: imports nothing from Node.
import { ebbInterceptor } from '@ebb/axios';
import { type Attempt, attemptsOf, type Policy } from '@ebb/core';
import axios, { type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { bodyFor, type Client } from './fetch-client.ts';

/** An axios instance with ebb. `stream` makes an upload stream of the kind that its adapter takes. */
export function axiosClient(
  policy: Policy,
  config: AxiosRequestConfig,
  stream: (text: string, failing?: Promise<never>) => unknown,
): Client {
  const client = axios.create({ responseType: 'text', ...(config as object) });
  client.interceptors.request.use(ebbInterceptor(policy));
  let history: readonly Attempt[] | undefined;
  const got = ({ status, data }: AxiosResponse<unknown>) => ({ status, body: String(data) });
  return {
    async send(url, { method = 'GET', headers = {}, ...sent }, signal) {
      const data = bodyFor(sent, stream);
      const call = { url, method, headers, data, ebb: sent.ebb, ...(signal && { signal }) };
      try {
        const response = await client.request<string>(call);
        history = attemptsOf(response);
        return got(response);
      } catch (error) {
        if (!axios.isAxiosError(error) || error.response === undefined) throw error;
        history = attemptsOf(error);
        return got(error.response);
      }
    },
    history: () => history,
    close: async () => undefined,
  };
}
