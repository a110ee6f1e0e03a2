import axios, { type AxiosInstance } from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { likeAxiosRetry, type LikeAxiosRetryOptions } from '@ebb/compat';

const retryConfig: LikeAxiosRetryOptions = {
  retries: 4,
  retryDelay: (retryCount) => retryCount * 1000,
  retryCondition: (error) => {
    return likeAxiosRetry.isNetworkOrIdempotentRequestError(error) || error.response?.status === 409;
  },
};

export class ApiClient {
  private readonly http: AxiosInstance;

  constructor(baseURL: string = 'https://api.example.com') {
    this.http = axios.create({ baseURL });
    this.http.interceptors.request.use(ebbInterceptor(likeAxiosRetry(retryConfig)));
  }

  async createOrder(body: unknown): Promise<unknown> {
    const response = await this.http.post('/orders', body);
    return response.data;
  }
}

export const createOrder = (): Promise<unknown> => new ApiClient().createOrder({ item: 7 });
