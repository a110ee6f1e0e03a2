export { devText } from '#dev-text';
export { property } from './base/errors.ts';
export type { ResumeReason } from './news/events.ts';
export { Download, downloadIn } from './resume/download.ts';
export { type EventHooks, EventStream, isCoded, isEventStream } from './resume/event-stream.ts';
export { type Resuming, type ResumptionOptions, readResuming } from './resume/options.ts';
export {
  copyHistory,
  haveCredentials,
  type RestRequest,
  type Resumed,
  Resumer,
  type Resumption,
  setHistoryOfResumption,
} from './resume/resumer.ts';
