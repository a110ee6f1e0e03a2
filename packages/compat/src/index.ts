export { type LikeAsyncRetryOptions, likeAsyncRetry, withBail } from './async-retry.ts';
export type { AxiosConfigLike, AxiosErrorLike } from './axios-error.ts';
export { type LikeAxiosRetry, type LikeAxiosRetryOptions, likeAxiosRetry } from './axios-retry.ts';
export { type FetchResponseLike, type LikeFetchRetryOptions, likeFetchRetry } from './fetch-retry.ts';
export { AbortError, type LikePRetryOptions, likePRetry, type PRetryContext } from './p-retry.ts';
