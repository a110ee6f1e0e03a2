import { createFetch } from '@ebb/fetch';
import '@ebb/fetch/global';

const fetch: typeof globalThis.fetch = createFetch({ maxRetries: 1 });
const url = 'https://upstream.test/';

export const init: RequestInit = { method: 'PUT', ebb: { cost: 2 } };
export const accepted: (() => Promise<Response>)[] = [
  () => fetch(url, { ebb: { maxRetries: 0 } }),
  () => fetch(url, { ebb: false }),
  () => fetch(url, init),
  () => createFetch()(url, init),
  () => createFetch({}, fetch)(url, { method: 'PUT', body: () => 'text', ebb: false }),
];
export const refused: (() => unknown)[] = [
  // @ts-expect-error: ebb has no such option
  () => fetch(url, { ebb: { retries: 3 } }),
  // @ts-expect-error: a string for a number
  () => fetch(url, { ebb: { maxRetries: '3' } }),
];
