// Helpers that rewritten programs get where options of ebb alone do not say what the other library did. `«…»` is for TypeScript alone.

/** By name. `ebb__` stands in front of names of ebb, and of other helpers. */
export const SNIPPETS: Readonly<Record<string, string>> = {
  axiosRequest: `
declare module 'axios' {
  interface AxiosRequestConfig<D = any, P = any> {
    'axios-retry'?: ebb__LikeAxiosRetryOptions & { retryCount?: number };
  }
}`,
  likeKy: `
/** The retry defaults of ky. */
const likeKy«: ebb__PolicyOptions» = {
  maxRetries: 2,
  backoff: ({ retry }) => 300 * 2 ** (retry - 1),
  methods: ['GET', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'],
  classify: ebb__retriedStatuses([408, 413, 429, 500, 502, 503, 504]),
};`,
  retriedStatuses: `
/** Retries lost connections and these statuses, as ky does: a 413 if it says when. */
const retriedStatuses = (statuses«: readonly number[]»)«: ebb__Classify» => (outcome) => {
  if (outcome.type === 'failure') return /^(connect|network)$/.test(outcome.kind) ? 'transient' : 'final';
  if (outcome.status < 400) return 'success';
  const isRetried = outcome.status !== 413 || outcome.header('retry-after') !== undefined;
  return isRetried && statuses.includes(outcome.status) ? 'transient' : 'final';
};`,
};
