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

const client = axios.create();
client.interceptors.request.use(ebbInterceptor({ ...likeAxiosRetry, maxRetries: 0 }));

/** Only the exports are worth waiting for. */
export async function exportAll() {
  const { data } = await client.get('https://api.example.com/export', {
    headers: { accept: 'text/csv' },
    ebb: {
      feedback: false,
      maxRetries: 6,
      backoff: () => 500,
    },
  });
  return data;
}

export const ping = () => client.get('https://api.example.com/ping');
