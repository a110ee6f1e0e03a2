import axios from 'axios';
import rateLimit, { type RateLimitedAxiosInstance } from 'axios-rate-limit';
import axiosRetry from 'axios-retry';

export class BitcoinApi {
  readonly api: RateLimitedAxiosInstance;

  constructor(baseURL = 'https://api.example.com') {
    this.api = rateLimit(axios.create({ baseURL }), {
      maxRPS: 10,
    });

    axiosRetry(this.api, {
      retries: 1,
      retryDelay: axiosRetry.exponentialDelay,
    });
  }

  async balance(address: string): Promise<unknown> {
    return (await this.api.get(`/address/${address}`)).data;
  }
}

export const balance = (): Promise<unknown> => new BitcoinApi().balance('abc');
