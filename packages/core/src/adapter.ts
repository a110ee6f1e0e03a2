export { areLayered, countLayer, isNativeFetch } from '#around';
export { inNextTurn, nextTurn, systemClock } from './base/clock.ts';
export { type Followed, followForeign } from './base/foreign-signal.ts';
export { onAbort } from './base/on-abort.ts';
export { property } from './base/property.ts';
export { sleep } from './base/sleep.ts';
export { warn } from './base/warn.ts';
export { whenArrived } from './bodies/arrival.ts';
export { NodePeek } from './bodies/node-peek.ts';
export { bytesOf, peekAtPart, peekAtWeb } from './bodies/peeks.ts';
export { readAhead } from './bodies/read-ahead.ts';
export { restored } from './bodies/restored.ts';
export {
  type AsideBounds,
  LONGEST_DISCARD_MS,
  MOST_DISCARDED_BYTES,
  missing,
  SetAside,
} from './bodies/set-aside.ts';
export { drain, readToEnd, setAside } from './bodies/streams.ts';
export { type BodyContext, whenBodyEnds } from './body-end/body-end.ts';
export {
  bufferBytes,
  isNodeReadable,
  isWebReadable,
  MOST_KEPT_BYTES,
  MOST_READ_AHEAD_BYTES,
  type NodeReadable,
  readableBody,
} from './http/body.ts';
export { isIdempotent } from './http/classify.ts';
export { failureKind } from './http/failure.ts';
export type { Peek } from './http/inspect.ts';
export { responseHeader } from './http/response-header.ts';
export { retryAfterMs } from './http/retry-after.ts';
export { forRequest } from './limits/contracts.ts';
export { type Decision, decide, type Progress } from './policy/decide.ts';
export { mayBeSentAtOnce, rememberSuccess } from './request/at-once.ts';
export { remember, rememberReason } from './request/history.ts';
export { LAYER, type Way } from './request/layer.ts';
export { OutOfTime, timeoutError } from './request/out-of-time.ts';
export type { MakeBody } from './request/preparation.ts';
export { type Aside, type Exchange, goOn, run } from './request/run.ts';
export { type Readiness, Session, type Step } from './request/session.ts';
export { startSession } from './request/start-session.ts';
