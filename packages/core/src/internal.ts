// What the packages of features import. It is no part of the public API: any release may change it.
export { devText, inDevelopment } from '#dev-text';
export {
  type Check,
  callable,
  countingNumber,
  flag,
  notNegative,
  oneOf,
  positive,
  share,
  wholeNumber,
  wrongType,
} from './base/check.ts';
export { inNextTurn, systemRandom, wallMs } from './base/clock.ts';
export { HookError, isError, isObject, isPromise, property, report, warn } from './base/errors.ts';
export { type Complete, must, type OptionTable, readOptions } from './base/options.ts';
export { FirstEvent } from './bodies/body-reader.ts';
export { watchBody } from './bodies/peek.ts';
export { type BodyWatcher, bufferBytes, bytesOf, type InspectionContext } from './http/body.ts';
export { classifyHttp, isRepeatable, isServerError } from './http/classify.ts';
export { codeIn } from './http/failure.ts';
export { askedWaitMs } from './http/feedback.ts';
export { LONGEST_FIELD, LONGEST_ID, MOST_READ_BYTES, shortHeader } from './http/headers.ts';
export type { Responded } from './http/outcome.ts';
export { durationMs } from './http/quota-fields.ts';
export { IN_MILLISECONDS } from './http/server-feedback.ts';
export { checkKey, type LearnsCost } from './loop/contracts.ts';
export { backoffOf, obeyed } from './loop/decide.ts';
export { record } from './loop/history.ts';
export { reads } from './loop/judge.ts';
export type { CallPolicy } from './loop/part.ts';
export { emit, type News, type Reporting } from './news/emit.ts';
export type { Observer, ResumeReason } from './news/events.ts';
