import axios from 'axios';
import { tokenBucket } from '@ebb/core';
import type { AxiosInstance } from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry } from '@ebb/compat';

export class BitcoinApi {
  readonly api: AxiosInstance;

  constructor(baseURL = 'https://api.example.com') {
    this.api = axios.create({ baseURL });
    this.api.interceptors.request.use(ebbInterceptor({ maxRetries: 0, feedback: false, bucket: tokenBucket({ capacity: 10, refillPerSecond: 10, refillIntervalMs: 1000 }) }));

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
