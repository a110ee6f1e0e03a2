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

const AXIOS = PROGRAMS['@ebb/axios'] ?? '';

/** Features with a door of their own: a program with its client, and the program without it. */
export const FEATURES: Readonly<Record<string, readonly [program: string, without: string]>> = {
  'replayOnStaleConnection of @ebb/core/stale-connections': [
    `${FETCH} export { replayOnStaleConnection } from '@ebb/core/stale-connections';`,
    FETCH,
  ],
  'policyBucket of @ebb/core/quotas': [`${FETCH} export { policyBucket } from '@ebb/core/quotas';`, FETCH],
  'idempotencyAnswers of @ebb/core/idempotency': [
    `${FETCH} export { idempotencyAnswers } from '@ebb/core/idempotency';`,
    FETCH,
  ],
  'all of @ebb/core/deadlines': [`${FETCH} export * from '@ebb/core/deadlines';`, FETCH],
  'failover of @ebb/fetch/failover': [`${FETCH} export { failover } from '@ebb/fetch/failover';`, FETCH],
  'failover of @ebb/axios/failover': [`${AXIOS} export { failover } from '@ebb/axios/failover';`, AXIOS],
  'awsStandard of @ebb/providers': [`${FETCH} export { awsStandard } from '@ebb/providers';`, FETCH],
  'durableBucket of @ebb/workers': [`${FETCH} export { durableBucket } from '@ebb/workers';`, FETCH],
  'BucketObject of @ebb/workers': [`${FETCH} export { BucketObject } from '@ebb/workers';`, FETCH],
};
