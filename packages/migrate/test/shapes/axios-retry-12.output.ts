import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { type BackoffStrategy, constant, type Outcome, type PolicyOptions, type RequestTraits } from '@ebb/core';
import type { AxiosError } from 'axios';

/** The defaults of axios-retry. */
const likeAxiosRetry: PolicyOptions = {
  maxRetries: 3,
  backoff: constant(0),
  methods: 'all',
  classify: (outcome, { method }) => {
    const mayRepeat = /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method);
    if (outcome.type === 'failure') {
      if (outcome.kind === 'timeout' || outcome.kind === 'aborted') return 'final';
      return mayRepeat || outcome.kind !== 'unknown' ? 'transient' : 'final';
    }
    if (outcome.status < 300) return 'success';
    return mayRepeat && (outcome.status === 429 || outcome.status >= 500) ? 'transient' : 'final';
  },
};

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

/** Waits as `retryDelay` of axios-retry says. */
const waitOf =
  (retryDelay: (retryCount: number, error: AxiosError) => number): BackoffStrategy =>
  ({ retry, outcome, request }) =>
    retryDelay(retry, errorOf(outcome!, request!));

const signed = axios.create({ baseURL: 'https://api.example.com' });

signed.interceptors.request.use(ebbInterceptor({
  ...likeAxiosRetry,
  feedback: false,
  maxRetries: 3,
  backoff: waitOf((count, error) => {
    const seconds = Number(error.response?.headers['x-wait'] ?? 0);
    return seconds > 0 ? seconds * 1000 : count * 100;
  }),
  // TODO(ebb): `beforeAttempt` changes the headers of an attempt
  // onRetry: (_count, _error, requestConfig) => {
  //   requestConfig.headers = { ...requestConfig.headers, 'x-signed-at': String(Date.now()) };
  // },
  // TODO(ebb): reject by `validateStatus` of axios, and retry by `classify`
  // validateResponse: (response) => response.status < 300,
}));

export default signed;
