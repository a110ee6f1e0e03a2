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

const http = axios.create({ baseURL: 'https://api.example.com/v1' });

http.interceptors.request.use(ebbInterceptor({
  ...likeAxiosRetry,
  feedback: false,
  maxRetries: 3,
  backoff: ({ retry: count }) => count * 250,
  onEvent: retryEvents({ onRetry: (count, error, config) => {
    console.warn(`retry ${count} of ${config.url}: ${error.message}`);
  } }),
}));

export async function search(q) {
  const { data } = await http.get('/search', { params: { q } });
  return data.items ?? data;
}
