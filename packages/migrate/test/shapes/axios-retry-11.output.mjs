import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant, detailsOf } from '@ebb/core';

/** The defaults of axios-retry. */
const likeAxiosRetry = {
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
const errorOf = (outcome, { method, url }) =>
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
      });

/** Calls the functions that axios-retry called. */
const retryEvents =
  ({ onRetry, onMaxRetryTimesExceeded }) =>
  (event) => {
    const { outcome, request } = detailsOf(event) ?? {};
    if (!outcome || !request) return;
    const error = errorOf(outcome, request);
    if (event.type === 'retry') onRetry?.(event.attempt, error, error.config);
    if (event.type === 'end' && event.reason === 'retries-exhausted') onMaxRetryTimesExceeded?.(error, event.attempt - 1);
  };

const api = axios.create({ baseURL: 'https://api.example.com', timeout: 5000 });

api.interceptors.request.use(ebbInterceptor({
  ...likeAxiosRetry,
  totalTimeoutMs: 5000,
  maxRetries: 3,
  backoff: ({ retry, random }) => 200 * 2 ** retry * (1 + random() / 5),
  onEvent: retryEvents({ onMaxRetryTimesExceeded: (error, retryCount) => {
    console.error('gave up after', retryCount, error.message);
  } }),
}));

export const list = async () => (await api.get('/list')).data;
