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

const retryOptions = { ...likeAxiosRetry, feedback: false, maxRetries: 2, backoff: () => 1000 };

const users = axios.create({ baseURL: 'https://users.example.com' });
const posts = axios.create({ baseURL: 'https://posts.example.com' });

users.interceptors.request.use(ebbInterceptor(retryOptions));
const requestInterceptorId = posts.interceptors.request.use(ebbInterceptor({ ...retryOptions, maxRetries: 4 }));

export function stopRetrying() {
  posts.interceptors.request.eject(requestInterceptorId);
}

export const both = async () => [(await users.get('/1')).data, (await posts.get('/1')).data];
