// The door for packages of features. It is no part of the public API: any release may change it.
export { devText, inDevelopment } from '#dev-text';
export { worker } from '#worker';
export {
  type Check,
  callable,
  countingNumber,
  flag,
  notNegative,
  number,
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
export { classifyHttp, isRepeatable, isServerError, isTrouble } from './http/classify.ts';
export { codeIn } from './http/failure.ts';
export { askedWaitMs } from './http/feedback.ts';
export { LONGEST_FIELD, LONGEST_ID, MOST_READ_BYTES, shortHeader } from './http/headers.ts';
export type { Responded } from './http/outcome.ts';
export { durationMs } from './http/quota-fields.ts';
export { IN_MILLISECONDS } from './http/server-feedback.ts';
export type { HedgeNotes } from './loop/attempts.ts';
export { checkKey, type LearnsCost } from './loop/contracts.ts';
export { backoffOf, obeyed, verdictOf } from './loop/decide.ts';
export { askHooks, headersNow } from './loop/header-changes.ts';
export { record } from './loop/history.ts';
export { isTrusted } from './loop/hooks.ts';
export { close, reads } from './loop/judge.ts';
export type { CallPolicy } from './loop/part.ts';
export { methodsOr } from './loop/policy.ts';
export { beginParts } from './loop/prepare.ts';
export { emit, type News, type Reporting } from './news/emit.ts';
export type { Observer, ResumeReason } from './news/events.ts';
export { reportedOutcome } from './news/reported.ts';
