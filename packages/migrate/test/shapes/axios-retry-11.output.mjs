import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant, detailsOf } from '@ebb/core';

// likeAxiosRetry 9d3b

// errorOf 87df

// retryEvents 23e9

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
