export { hedge } from './hedge.ts';
export { ebbInterceptor } from './interceptor.ts';
export type { BodyFactory, MadeBody, WithBodyFactory } from './options.ts';
