import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant, detailsOf } from '@ebb/core';

// likeAxiosRetry 9d3b

// errorOf 87df

// retryEvents 23e9

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
