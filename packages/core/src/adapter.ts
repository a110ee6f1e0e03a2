export { countClient, hasContext, isNativeFetch, mayNest, needsContext, runWithin } from '#nested';
export { callable, flag, positive, wholeNumber } from './base/check.ts';
export { inNextTurn, nextTurn, systemClock } from './base/clock.ts';
export { callHook, HookError, isError, property, warn } from './base/errors.ts';
export { type Complete, type OptionTable, readOptions } from './base/options.ts';
export { nativeSignal, onAbort, sleep } from './base/signals.ts';
export {
  type AsideBounds,
  cancelBody,
  keptStream,
  LONGEST_DISCARD_MS,
  readAhead,
  reasonOfLoss,
  SetAside,
  setAside,
} from './bodies/keep.ts';
export { watchWebStream } from './bodies/peek.ts';
export { whenArrived } from './bodies/watch.ts';
export { goOnAfter, isSuccess, mayBeSentAtOnce } from './call/at-once.ts';
export { abortedBy, Call } from './call/call.ts';
export { type Deadline, namedTimeoutOf, timeoutError, withinBounds } from './call/deadline.ts';
export { type Decision, type DecisionInput, decide } from './call/decide.ts';
export {
  attemptsOf,
  keepNotes,
  setHistory,
  setHistoryOfReason,
  setHistoryOfSuccess,
} from './call/history.ts';
export { run } from './call/run.ts';
export {
  type Aside,
  discardMsOf,
  layerOf,
  sendWithin,
  startCall,
  type Transport,
  timeoutOf,
} from './call/transport.ts';
export type { CallClient, CallStep, EndStep, MakeBody, WaitStep } from './call/types.ts';
export type { BodyContext, BodyWatcher, OpenedBody, Peek } from './http/body.ts';
export {
  bufferBytes,
  closeUpload,
  type FollowUpload,
  isNodeReadable,
  isSingleUse,
  isWebReadable,
  MOST_KEPT_BYTES,
  type NodeReadable,
  readableBody,
  takeUpload,
} from './http/body.ts';
export { classifyHttp, isIdempotent } from './http/classify.ts';
export { failureKind, isTypeError } from './http/failure.ts';
export { retryAfterMs } from './http/feedback.ts';
export { MOST_READ_AHEAD_BYTES, type ReadHeader, responseHeader } from './http/headers.ts';
export { originOf } from './http/outcome.ts';
export { forRequest } from './limits/limit.ts';
export { AroundCalls, LAYER, type Way } from './nested/outer-call.ts';
export type { SentHeaders } from './policy/hooks.ts';
export { hasMiddleware, maySendAgain } from './policy/options.ts';
export { createPolicy, overridePolicy } from './policy/policy.ts';
export { addsCredentials, mustTrust } from './policy/trust.ts';
