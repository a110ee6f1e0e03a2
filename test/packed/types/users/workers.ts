import { createFetch } from '@ebb/fetch';

const fetch = createFetch({ maxRetries: 1 });
const url = 'https://upstream.test/';

// Additions of Cloudflare's workers to the standard fetch.
export const accepted: (() => Promise<Response>)[] = [
  () => fetch(url, { cf: { cacheTtl: 5 }, ebb: { maxRetries: 0 } }),
];
export const refused: (() => unknown)[] = [
  // @ts-expect-error: a string for a number
  () => fetch(url, { cf: { cacheTtl: '5' } }),
];
