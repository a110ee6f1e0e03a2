// The door for packages of features. It is no part of the public API: any release may change it.
export { Attempt } from './attempt.ts';
export { bodyOf } from './body.ts';
export { Downstream } from './downstream.ts';
export { type DataSource, forHandlers, type Handler } from './handler.ts';
export {
  changedHeaders,
  ownOptions,
  type RawHeaders,
  type RequestHeaders,
  type ResponseHead,
  type ResponseHeaders,
  readerOf,
  requestHeader,
} from './headers.ts';
export {
  type AttemptInfo,
  bodyTimeoutError,
  cutShortError,
  failureOutcome,
  ResponseOutcome,
  requestAbortedError,
  Traits,
} from './outcome.ts';
