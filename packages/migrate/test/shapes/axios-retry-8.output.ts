import { ebbInterceptor } from '@ebb/axios';
import type { Classify, Outcome, RequestTraits } from '@ebb/core';
import axios, { AxiosError } from 'axios';

// errorOf 465b

// retriedIf e3d4

const RETRIES = Number(process.env.RETRIES ?? 3);
const client = axios.create({ baseURL: 'https://api.example.com' });

client.interceptors.request.use(ebbInterceptor({
  methods: 'all',
  feedback: false,
  maxRetries: RETRIES,
  classify: retriedIf(function (error: AxiosError) {
    const status = error.response?.status;
    if (status === undefined) return error.code !== 'ERR_CANCELED';
    return status === 429 || status >= 500;
  }),
  backoff: function ({ retry: retryCount }) {
    return Math.min(1000 * Math.pow(2, retryCount), 10000);
  },
}));

export async function charge(): Promise<unknown> {
  return (await client.post('/charges', { amount: 5 })).data;
}
