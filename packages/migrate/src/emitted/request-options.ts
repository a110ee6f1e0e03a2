/** The types of the options of axios-retry in the config of a request: TypeScript alone needs them. `ebb__` stands in front of names of ebb. */
export const REQUEST_OPTIONS = `declare module 'axios' {
  interface AxiosRequestConfig<D = any, P = any> {
    'axios-retry'?: ebb__LikeAxiosRetryOptions & { retryCount?: number };
  }
}`;
