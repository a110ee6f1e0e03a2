import { ebbInterceptor } from '@ebb/axios';
import type { Classify, Outcome, RequestTraits } from '@ebb/core';
import axios, { AxiosError } from 'axios';

/** The error that axios makes of an outcome, as far as this program reads it. */
const errorOf = (outcome: Outcome, { method, url }: RequestTraits): AxiosError =>
  (outcome.type === 'failure'
    ? outcome.error
    : {
        message: `Request failed with status code ${outcome.status}`,
        code: outcome.status >= 500 ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST',
        response: {
          status: outcome.status,
          headers: new Proxy({}, { get: (_, name) => outcome.header(String(name).toLowerCase()) }),
        },
        config: { method: method.toLowerCase(), url },
      }) as AxiosError;

/** Decides by the error, as `retryCondition` of axios-retry does. */
const retriedIf = (condition: (error: AxiosError) => unknown): Classify => (outcome, request) => {
  if (outcome.type === 'response' && outcome.status >= 200 && outcome.status < 300) return 'success';
  if (outcome.type === 'failure' && outcome.kind === 'aborted') return 'final';
  return condition(errorOf(outcome, request)) ? 'transient' : 'final';
};

const RETRIES = Number(process.env.RETRIES ?? 3);
const client = axios.create({ baseURL: 'https://api.example.com' });

client.interceptors.request.use(ebbInterceptor({
  methods: 'all',
  feedback: false,
  maxRetries: RETRIES,
  classify: retriedIf(function (error: AxiosError) {
    const status = error.response?.status;
    if (status === undefined) return error.code !== 'ERR_CANCELED';
    return status === 429 || status >= 500;
  }),
  backoff: function ({ retry: retryCount }) {
    return Math.min(1000 * Math.pow(2, retryCount), 10000);
  },
}));

export async function charge(): Promise<unknown> {
  return (await client.post('/charges', { amount: 5 })).data;
}
