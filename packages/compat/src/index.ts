export { AbortError } from './abort-error.ts';
export { type CallWithBail, type LikeAsyncRetryOptions, likeAsyncRetry, withBail } from './async-retry.ts';
export type { AxiosConfigLike, AxiosErrorLike } from './axios-error.ts';
export { type LikeAxiosRateLimitOptions, likeAxiosRateLimit } from './axios-rate-limit.ts';
export { type LikeAxiosRetry, likeAxiosRetry } from './axios-retry.ts';
export type { LikeAxiosRetryOptions } from './axios-retry-options.ts';
export {
  type LikeBottleneck,
  type LikeBottleneckJob,
  type LikeBottleneckOptions,
  likeBottleneck,
} from './bottleneck.ts';
export {
  type FetchResponseLike,
  type LikeFetch,
  type LikeFetchRetryOptions,
  likeFetchRetry,
} from './fetch-retry.ts';
export { likeKy } from './ky.ts';
export { makeRetriable } from './make-retriable.ts';
export { type LikePRetryOptions, likePRetry, type PRetryContext } from './p-retry.ts';
export { type LikePThrottleFunction, type LikePThrottleOptions, likePThrottle } from './p-throttle.ts';
