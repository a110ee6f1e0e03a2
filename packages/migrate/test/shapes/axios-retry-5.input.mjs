import axios from 'axios';
import axiosRetry from 'axios-retry';

const http = axios.create({ baseURL: 'https://api.example.com/v1' });

axiosRetry(http, {
  retries: 3,
  retryDelay: (count) => count * 250,
  onRetry: (count, error, config) => {
    console.warn(`retry ${count} of ${config.url}: ${error.message}`);
  },
});

export async function search(q) {
  const { data } = await http.get('/search', { params: { q } });
  return data.items ?? data;
}
