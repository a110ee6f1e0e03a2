import * as axiosModule from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';

const { default: axios } = axiosModule;

axios.interceptors.request.use(ebbInterceptor(likeAxiosRetry({
  retries: 3,
  retryDelay: (retryCount) => {
    console.log(`attempt ${retryCount}`);
    return retryCount * 2000; // 2 s, 4 s, 6 s
  },
  retryCondition: (error) => error.response.status === 503,
})));

export const status = async () => {
  const response = await axios.get('https://api.example.com/status', { validateStatus: (s) => s < 500 });
  return response.status;
};
