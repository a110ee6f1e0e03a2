export { prose } from '#prose';
export { property } from './base/property.ts';
export { haveCredentials } from './http/credentials.ts';
export type { ResumeReason } from './news/reason.ts';
export { Download, downloadIn } from './resume/download.ts';
export { type EventHooks, EventStream, isCoded, isEventStream } from './resume/event-stream.ts';
export { type Resuming, type ResumptionOptions, readResuming } from './resume/options.ts';
export {
  explain,
  type RestRequest,
  type Resumed,
  Resumer,
  type Resumption,
  rememberOf,
  rememberResumption,
} from './resume/resumer.ts';
