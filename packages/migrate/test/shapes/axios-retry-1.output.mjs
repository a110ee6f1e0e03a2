import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant } from '@ebb/core';

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

axios.interceptors.request.use(ebbInterceptor({ ...likeAxiosRetry, maxRetries: 3 }));

export async function getUser(id) {
  const { data } = await axios.get(`https://api.example.com/users/${id}`);
  return data;
}
