// Names of ebb that rewritten programs use, in one place: a new name is changed here.

/** The package of each name. */
export const HOME: Readonly<Record<string, string>> = {
  concurrencyLimit: '@ebb/core',
  createPolicy: '@ebb/core',
  quotaBucket: '@ebb/core',
  retry: '@ebb/core',
  tokenBucket: '@ebb/core',
  AbortError: '@ebb/compat',
  likeAsyncRetry: '@ebb/compat',
  likeAxiosRetry: '@ebb/compat',
  likeBottleneck: '@ebb/compat',
  likeFetchRetry: '@ebb/compat',
  likePRetry: '@ebb/compat',
  withBail: '@ebb/compat',
  createFetch: '@ebb/fetch',
  ebbInterceptor: '@ebb/axios',
};

/** Types, which JavaScript does not import. */
export const TYPES: Readonly<Record<string, string>> = {
  CallWithBail: '@ebb/compat',
  LikeAsyncRetryOptions: '@ebb/compat',
  LikeAxiosRetryOptions: '@ebb/compat',
  LikeBottleneck: '@ebb/compat',
  LikeBottleneckJob: '@ebb/compat',
  LikeBottleneckOptions: '@ebb/compat',
  LikeFetch: '@ebb/compat',
  LikeFetchRetryOptions: '@ebb/compat',
  LikePRetryOptions: '@ebb/compat',
  PRetryContext: '@ebb/compat',
  Classify: '@ebb/core',
  Policy: '@ebb/core',
  PolicyOptions: '@ebb/core',
  AxiosInstance: 'axios',
};

/** A server's `Retry-After` is not read. */
export const NO_RETRY_AFTER = 'feedback: false';
