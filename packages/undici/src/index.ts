export { ebbInterceptor } from './interceptor.ts';
export type { BodyFactory, MadeBody, WithBodyFactory } from './options.ts';
