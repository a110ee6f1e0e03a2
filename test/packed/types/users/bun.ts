import { createFetch } from '@ebb/fetch';

const fetch = createFetch({ maxRetries: 1 });
const url = 'https://upstream.test/';

// Additions of Bun to the standard fetch.
fetch.preconnect(url);
export const accepted: (() => Promise<Response>)[] = [
  () => fetch(url, { tls: { rejectUnauthorized: true }, verbose: true, ebb: false }),
  () => fetch(url, { proxy: 'http://proxy.test/' }),
];
export const refused: (() => unknown)[] = [
  // @ts-expect-error: a string for a boolean
  () => fetch(url, { verbose: 12345 }),
];
