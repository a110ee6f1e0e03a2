import axios from 'axios';
import type { AxiosInstance } from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRateLimit, likeAxiosRetry } from '@ebb/compat';

export class BitcoinApi {
  readonly api: AxiosInstance;

  constructor(baseURL = 'https://api.example.com') {
    this.api = likeAxiosRateLimit(axios.create({ baseURL }), {
      maxRPS: 10,
    }, ebbInterceptor);

    this.api.interceptors.request.use(ebbInterceptor(likeAxiosRetry({
      retries: 1,
      retryDelay: likeAxiosRetry.exponentialDelay,
    })));
  }

  async balance(address: string): Promise<unknown> {
    return (await this.api.get(`/address/${address}`)).data;
  }
}

export const balance = (): Promise<unknown> => new BitcoinApi().balance('abc');
