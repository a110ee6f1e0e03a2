export { prose } from '#prose';
export { type EventHooks, EventStream, isEventStream } from './http/event-stream.ts';
export type { ResumeReason } from './loop/reason.ts';
export {
  explain,
  type Resumption,
  rememberOf,
  rememberResumption,
  reportResumption,
} from './loop/resumed.ts';
