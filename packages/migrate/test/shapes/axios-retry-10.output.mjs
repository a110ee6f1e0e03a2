import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';

// Every instance of this program gets the same treatment.
export function withRetries(instance, options) {
  instance.interceptors.request.use(ebbInterceptor(likeAxiosRetry({ retries: 3, ...options })));
  return instance;
}

export const github = withRetries(axios.create({ baseURL: 'https://api.github.com' }), { retries: 5 });
