import axios from 'axios';
import axiosRetry from 'axios-retry';

const signed = axios.create({ baseURL: 'https://api.example.com' });

// TODO(ebb): axios-retry stays here: `validateResponse` has no counterpart
axiosRetry(signed, {
  retries: 3,
  retryDelay: (count, error) => {
    const seconds = Number(error.response?.headers['x-wait'] ?? 0);
    return seconds > 0 ? seconds * 1000 : count * 100;
  },
  onRetry: (_count, _error, requestConfig) => {
    requestConfig.headers = { ...requestConfig.headers, 'x-signed-at': String(Date.now()) };
  },
  validateResponse: (response) => response.status < 300,
});

export default signed;
