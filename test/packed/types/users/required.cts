import axios = require('axios');
import ebbAxios = require('@ebb/axios');
import ebb = require('@ebb/core');
import ebbFetch = require('@ebb/fetch');
import undici = require('undici');

// A CommonJS program that imports as `require` does.
const policy: ebb.Policy = ebb.createPolicy({ maxRetries: 1 });
export const fetch: typeof globalThis.fetch = ebbFetch.createFetch(policy);
axios.interceptors.request.use(ebbAxios.ebbInterceptor(policy));

export const accepted: (() => unknown)[] = [
  () => axios.get('/', { ebb: { maxRetries: 0 } }),
  () => undici.request('http://upstream.test/', { ebb: false }),
];
export const refused: (() => unknown)[] = [
  // @ts-expect-error: not an option
  () => axios.get('/', { ebb: { retries: 3 } }),
  // @ts-expect-error: not an option
  () => undici.request('http://upstream.test/', { ebb: { retries: 3 } }),
];
