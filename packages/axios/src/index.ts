import type { RequestOptions } from '@ebb/core';

declare module 'axios' {
  // The type parameters must be those of axios's own declaration, or TypeScript does not merge the two.
  // biome-ignore lint/suspicious/noExplicitAny: so declared by axios
  interface AxiosRequestConfig<D = any, P = any> {
    /**
     * Policy options for this request alone; `false` sends it as if ebb were not there.
     *
     * axios clones the plain objects in a request's config, and a clone of a bucket, limit or budget would have its
     * own state. Those given here must therefore be instances of a class, as those of `@ebb/core` are. The request
     * rejects with a `TypeError` otherwise, and with a `TypeError` or `RangeError` for an invalid option.
     *
     * @default {} the interceptor's policy as it is
     */
    ebb?: RequestOptions | undefined;
  }
}

export type { AxiosModule } from './axios-copy.ts';
export { type EbbInterceptor, ebbInterceptor } from './interceptor.ts';
export type { BodyFactory } from './request-body.ts';
