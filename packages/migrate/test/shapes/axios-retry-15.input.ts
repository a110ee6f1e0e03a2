import axios from 'axios';
import axiosRetry, { isNetworkOrIdempotentRequestError, type IAxiosRetryConfigExtended } from 'axios-retry';

declare module 'axios' {
  interface AxiosRequestConfig {
    'axios-retry'?: IAxiosRetryConfigExtended;
  }
}

axiosRetry(axios, {
  retries: 2,
  retryCondition: async (error) => {
    if (isNetworkOrIdempotentRequestError(error)) return true;
    return (await import('node:os')).uptime() > 0;
  },
});

export const getName = async (): Promise<string> => (await axios.get('https://api.example.com/name')).data;
