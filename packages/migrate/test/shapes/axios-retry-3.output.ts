import axios, { type AxiosError, type AxiosInstance } from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import type { Classify, Outcome, PolicyOptions, RequestTraits } from '@ebb/core';

/** The error that axios makes of an outcome, as far as this program reads it. */
const errorOf = (outcome: Outcome, { method, url }: RequestTraits): AxiosError =>
  (outcome.type === 'failure'
    ? outcome.error
    : {
        message: `Request failed with status code ${outcome.status}`,
        code: outcome.status >= 500 ? 'ERR_BAD_RESPONSE' : 'ERR_BAD_REQUEST',
        response: {
          status: outcome.status,
          headers: new Proxy({}, { get: (_, name) => outcome.header(String(name).toLowerCase()) }),
        },
        config: { method: method.toLowerCase(), url },
      }) as AxiosError;

/** Decides by the error, as `retryCondition` of axios-retry does. */
const retriedIf = (condition: (error: AxiosError) => unknown): Classify => (outcome, request) => {
  if (outcome.type === 'response' && outcome.status >= 200 && outcome.status < 300) return 'success';
  if (outcome.type === 'failure' && outcome.kind === 'aborted') return 'final';
  return condition(errorOf(outcome, request)) ? 'transient' : 'final';
};

const isNetworkError = ({ code, response }: AxiosError): boolean =>
  !response && code !== undefined && !/^(ERR_CANCELED|ECONNABORTED|ENOTFOUND|ENETUNREACH|.*CERT.*)$/.test(code);

const isRetryableError = ({ code, response }: AxiosError): boolean =>
  code !== 'ECONNABORTED' && (!response || response.status === 429 || response.status >= 500);

const isIdempotentRequestError = (error: AxiosError): boolean =>
  isRetryableError(error) && /^(get|head|options|put|delete)$/.test(error.config?.method ?? '');

const isNetworkOrIdempotentRequestError = (error: AxiosError): boolean =>
  isNetworkError(error) || isIdempotentRequestError(error);

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
