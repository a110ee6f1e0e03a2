// The door for packages of features. It is no part of the public API: any release may change it.
export { devText, inDevelopment } from '#dev-text';
export { outerCall } from '#nested';
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
export type { HedgeNotes } from './call/attempts.ts';
export { backoffOf, capRetryAfter, verdictOf } from './call/decide.ts';
export { headersNow } from './call/header-changes.ts';
export { record } from './call/history.ts';
export { emit, type ReportedCall } from './events/emit.ts';
export type { EventFields, Observer, ResumeReason } from './events/events.ts';
export { reportedOutcome } from './events/report-fields.ts';
export { type BodyWatcher, bufferBytes, bytesOf, type InspectionContext } from './http/body.ts';
export { classifyHttp, isRepeatable, isServerError, isTrouble } from './http/classify.ts';
export { codeIn } from './http/failure.ts';
export { askedWaitMs } from './http/feedback.ts';
export { LONGEST_FIELD, LONGEST_ID, MOST_READ_BYTES, shortHeader } from './http/headers.ts';
export type { ResponseOutcome } from './http/outcome.ts';
export { durationMs } from './http/quota-fields.ts';
export { IN_MILLISECONDS } from './http/server-feedback.ts';
export type { CallPolicy } from './policy/call-view.ts';
export type { CostLearner } from './policy/contracts.ts';
export { checkKey } from './policy/cost.ts';
export { observerOf, POLICY } from './policy/options.ts';
export { methodsOr, overridePolicy } from './policy/policy.ts';
export { isTrusted } from './policy/trust.ts';
