export type { AxiosErrorLike } from './like/axios-error.ts';
export { type LikeAxiosRetry, type LikeAxiosRetryOptions, likeAxiosRetry } from './like/axios-retry.ts';
export { type FetchResponseLike, type LikeFetchRetryOptions, likeFetchRetry } from './like/fetch-retry.ts';
export { type LikePRetryOptions, likePRetry, type PRetryContext } from './like/p-retry.ts';
