import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';

const api = axios.create({ baseURL: 'https://api.example.com', timeout: 5000 });

api.interceptors.request.use(ebbInterceptor(likeAxiosRetry({
  retries: 3,
  retryDelay: (retryCount, error) => likeAxiosRetry.exponentialDelay(retryCount, error, 200),
  onMaxRetryTimesExceeded: (error, retryCount) => {
    console.error('gave up after', retryCount, error.message);
  },
})));

export const list = async () => (await api.get('/list')).data;
