import axios from 'axios';
import { ebbInterceptor } from '@ebb/axios';
import { constant } from '@ebb/core';


axios.interceptors.request.use(ebbInterceptor({
  methods: 'all',
  backoff: constant(0),
  maxRetries: 2,
  // TODO(ebb): `classify` returns no promise; `inspect` may
  // retryCondition: async (error) => {
  //   if (isNetworkOrIdempotentRequestError(error)) return true;
  //   return (await import('node:os')).uptime() > 0;
  // },
}));

export const getName = async (): Promise<string> => (await axios.get('https://api.example.com/name')).data;
