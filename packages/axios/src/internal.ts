// The door for packages of features. It is no part of the public API: any release may change it.
export { adapterOf } from './axios-copy.ts';
export { AxiosRequest, type Route } from './axios-request.ts';
export { type CallerSignal, callerSignal } from './cancel.ts';
export { type Config, copyWith } from './config.ts';
export { discard, whenRead } from './response-body.ts';
