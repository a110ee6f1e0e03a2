import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant, type PolicyOptions } from '@ebb/core';

/** What axios-retry does by default. */
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

const signed = axios.create({ baseURL: 'https://api.example.com' });

signed.interceptors.request.use(ebbInterceptor({
  ...likeAxiosRetry,
  maxRetries: 3,
  // TODO(ebb): `backoff` does not see the response; ebb waits for `Retry-After` anyway
  // retryDelay: (count, error) => {
  //   const seconds = Number(error.response?.headers['x-wait'] ?? 0);
  //   return seconds > 0 ? seconds * 1000 : count * 100;
  // },
  // TODO(ebb): `beforeAttempt` changes the headers of an attempt
  // onRetry: (_count, _error, requestConfig) => {
  //   requestConfig.headers = { ...requestConfig.headers, 'x-signed-at': String(Date.now()) };
  // },
  // TODO(ebb): reject by `validateStatus` of axios, and retry by `classify`
  // validateResponse: (response) => response.status < 300,
}));

export default signed;
