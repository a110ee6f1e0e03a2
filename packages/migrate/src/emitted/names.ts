// Names of ebb that rewritten programs use, in one place: a new name is changed here.

/** The package of each name. */
export const HOME: Readonly<Record<string, string>> = {
  constant: '@ebb/core',
  concurrencyLimit: '@ebb/core',
  createPolicy: '@ebb/core',
  detailsOf: '@ebb/core',
  quotaBucket: '@ebb/core',
  retry: '@ebb/core',
  tokenBucket: '@ebb/core',
  likeAxiosRetry: '@ebb/compat',
  likeFetchRetry: '@ebb/compat',
  likePRetry: '@ebb/compat',
  createFetch: '@ebb/fetch',
  ebbInterceptor: '@ebb/axios',
};

/** Types, which JavaScript does not import. */
export const TYPES: Readonly<Record<string, string>> = {
  BackoffStrategy: '@ebb/core',
  Classify: '@ebb/core',
  LikeAxiosRetryOptions: '@ebb/compat',
  LikeFetchRetryOptions: '@ebb/compat',
  LikePRetryOptions: '@ebb/compat',
  EbbEvent: '@ebb/core',
  Outcome: '@ebb/core',
  Policy: '@ebb/core',
  PolicyOptions: '@ebb/core',
  RequestTraits: '@ebb/core',
  AttemptResult: '@ebb/core',
  AxiosError: 'axios',
  AxiosInstance: 'axios',
};

/** A server's `Retry-After` is not read. */
export const NO_RETRY_AFTER = 'feedback: false';

/** More retries than any program makes: a function decides. */
export const ENDLESS = 'maxRetries: Number.MAX_SAFE_INTEGER';
