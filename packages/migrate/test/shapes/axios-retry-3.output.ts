import axios, { type AxiosError, type AxiosInstance } from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import type { Classify, Outcome, PolicyOptions, RequestTraits } from '@ebb/core';

// errorOf 465b

// retriedIf e3d4

// isNetworkError 3e52

// isRetryableError 7e30

// isIdempotentRequestError d92a

// isNetworkOrIdempotentRequestError 5a00

const retryConfig: PolicyOptions = {
  methods: 'all',
  feedback: false,
  maxRetries: 4,
  backoff: ({ retry: retryCount }) => retryCount * 1000,
  classify: retriedIf((error) => {
    return isNetworkOrIdempotentRequestError(error) || error.response?.status === 409;
  }),
};

export class ApiClient {
  private readonly http: AxiosInstance;

  constructor(baseURL: string = 'https://api.example.com') {
    this.http = axios.create({ baseURL });
    this.http.interceptors.request.use(ebbInterceptor(retryConfig));
  }

  async createOrder(body: unknown): Promise<unknown> {
    const response = await this.http.post('/orders', body);
    return response.data;
  }
}

export const createOrder = (): Promise<unknown> => new ApiClient().createOrder({ item: 7 });
