import type { RequestOptions } from '@ebb/core';

declare module 'axios' {
  // The type parameters are those of axios itself: TypeScript merges only declarations that agree on them.
  // biome-ignore lint/suspicious/noExplicitAny: so declared by axios
  interface AxiosRequestConfig<D = any, P = any> {
    /**
     * What this request changes of its policy; `false` sends it as if ebb were not there.
     *
     * axios copies the plain objects in a request's config. A bucket or a budget that stands here must therefore
     * be an instance of a class, as those of `@ebb/core` are: a copy would hold tokens of its own.
     */
    ebb?: RequestOptions | undefined;
  }
}

export type { AxiosModule } from './axios-copy.ts';
export type { BodyFactory } from './body/factory-body.ts';
export { type EbbInterceptor, ebbInterceptor } from './interceptor.ts';
