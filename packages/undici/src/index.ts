export { hedge } from './hedge.ts';
export { ebbInterceptor, type InterceptorOptions } from './interceptor.ts';
export type { BodyFactory, MadeBody, WithBodyFactory } from './options.ts';
