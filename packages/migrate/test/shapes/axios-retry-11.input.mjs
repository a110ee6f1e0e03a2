import axios from 'axios';
import axiosRetry from 'axios-retry';

const api = axios.create({ baseURL: 'https://api.example.com', timeout: 5000 });

axiosRetry(api, {
  retries: 3,
  retryDelay: (retryCount, error) => axiosRetry.exponentialDelay(retryCount, error, 200),
  onMaxRetryTimesExceeded: (error, retryCount) => {
    console.error('gave up after', retryCount, error.message);
  },
});

export const list = async () => (await api.get('/list')).data;
