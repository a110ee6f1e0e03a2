import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { type BackoffStrategy, constant, type Outcome, type PolicyOptions, type RequestTraits } from '@ebb/core';
import type { AxiosError } from 'axios';

// likeAxiosRetry c342

// errorOf 465b

// waitOf 85fe

const signed = axios.create({ baseURL: 'https://api.example.com' });

signed.interceptors.request.use(ebbInterceptor({
  ...likeAxiosRetry,
  feedback: false,
  maxRetries: 3,
  backoff: waitOf((count, error) => {
    const seconds = Number(error.response?.headers['x-wait'] ?? 0);
    return seconds > 0 ? seconds * 1000 : count * 100;
  }),
  // TODO(ebb): `beforeAttempt` changes the headers of an attempt
  // onRetry: (_count, _error, requestConfig) => {
  //   requestConfig.headers = { ...requestConfig.headers, 'x-signed-at': String(Date.now()) };
  // },
  // TODO(ebb): reject by `validateStatus` of axios, and retry by `classify`
  // validateResponse: (response) => response.status < 300,
}));

export default signed;
