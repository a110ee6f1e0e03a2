const FETCH = `export { createFetch } from '@ebb/fetch';`;

/** The programs whose size is a promise, by their names in each table. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  '@ebb/fetch': FETCH,
  '@ebb/fetch, bucket': `${FETCH} export { tokenBucket } from '@ebb/core';`,
  '@ebb/fetch, bucket, slots, budget': `${FETCH} export { concurrencyLimit, retryBudget, tokenBucket } from '@ebb/core';`,
  '@ebb/fetch, throttle': `${FETCH} export { adaptiveThrottle } from '@ebb/core';`,
  '@ebb/fetch, bucket, throttle': `${FETCH} export { adaptiveThrottle, tokenBucket } from '@ebb/core';`,
  '@ebb/fetch, hedged': `export { createFetch } from '@ebb/fetch'; export { hedged } from '@ebb/hedge/fetch';`,
  '@ebb/axios': `export { ebbInterceptor } from '@ebb/axios';`,
  '@ebb/axios, hedged': `export { ebbInterceptor } from '@ebb/axios'; export { hedged } from '@ebb/hedge/axios';`,
  '@ebb/undici': `export { ebbInterceptor } from '@ebb/undici';`,
  '@ebb/undici, hedged': `export { ebbInterceptor } from '@ebb/undici'; export { hedged } from '@ebb/hedge/undici';`,
};
