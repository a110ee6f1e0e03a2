import axios, { type AxiosInstance } from 'axios';
import axiosRetry, { type IAxiosRetryConfig } from 'axios-retry';

const retryConfig: IAxiosRetryConfig = {
  retries: 4,
  retryDelay: (retryCount) => retryCount * 1000,
  retryCondition: (error) => {
    return axiosRetry.isNetworkOrIdempotentRequestError(error) || error.response?.status === 409;
  },
};

export class ApiClient {
  private readonly http: AxiosInstance;

  constructor(baseURL: string = 'https://api.example.com') {
    this.http = axios.create({ baseURL });
    axiosRetry(this.http, retryConfig);
  }

  async createOrder(body: unknown): Promise<unknown> {
    const response = await this.http.post('/orders', body);
    return response.data;
  }
}

export const createOrder = (): Promise<unknown> => new ApiClient().createOrder({ item: 7 });
