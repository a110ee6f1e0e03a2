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


axios.interceptors.request.use(ebbInterceptor({
  ...likeAxiosRetry,
  maxRetries: 2,
  // TODO(ebb): `classify` returns no promise; `inspect` may
  // retryCondition: async (error) => {
  //   if (isNetworkOrIdempotentRequestError(error)) return true;
  //   return (await import('node:os')).uptime() > 0;
  // },
}));

export const getName = async (): Promise<string> => (await axios.get('https://api.example.com/name')).data;
