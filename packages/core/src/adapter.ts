export { areLayered, countLayer, isNativeFetch } from '#layers';
export { callable, flag, positive, wholeNumber } from './base/check.ts';
export { inNextTurn, nextTurn, systemClock } from './base/clock.ts';
export { callHook, HookError, isError, property, warn } from './base/errors.ts';
export { type Complete, type OptionTable, readOptions } from './base/options.ts';
export { nativeSignal, onAbort, sleep } from './base/signals.ts';
export {
  type AsideBounds,
  cancelBody,
  LONGEST_DISCARD_MS,
  missing,
  readAhead,
  restored,
  SetAside,
  setAside,
} from './bodies/keep.ts';
export { watchWebStream } from './bodies/peek.ts';
export { whenArrived } from './bodies/watch.ts';
export type { BodyContext, BodyWatcher, Opened, Peek } from './http/body.ts';
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
export { failureKind } from './http/failure.ts';
export { retryAfterMs } from './http/feedback.ts';
export { MOST_READ_AHEAD_BYTES, type ReadHeader, responseHeader } from './http/headers.ts';
export { originOf } from './http/outcome.ts';
export { LAYER, type Way } from './layers/layer.ts';
export { AtOnce, type ClientAtOnce, hasReachedLayer, mayBeSentAtOnce, takingOf } from './loop/at-once.ts';
export { Call, namedTimeoutOf } from './loop/call.ts';
export type { Aside, ClientAdapter, MakeBody } from './loop/client.ts';
export { discardMsOf, layerOf, sending, startCall, timeoutOf } from './loop/client.ts';
export { bounded, type Deadline, OutOfTime, timeoutError } from './loop/deadline.ts';
export { type Decision, type DecisionInput, decide } from './loop/decide.ts';
export {
  attemptsOf,
  hasHistory,
  keepNotes,
  setHistory,
  setHistoryOfReason,
  setHistoryOfSuccess,
} from './loop/history.ts';
export type { SentHeaders } from './loop/hooks.ts';
export { addsCredentials, mustTrust } from './loop/hooks.ts';
export { abortedBy, fail, judge, look, pass } from './loop/judge.ts';
export { createPolicy, overridePolicy } from './loop/policy.ts';
export { begin, prepare, type Readiness } from './loop/prepare.ts';
export { run } from './loop/run.ts';
export { forRequest } from './parts/limit.ts';
