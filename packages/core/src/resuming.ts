export { prose } from '#prose';
export { property } from './base/property.ts';
export { haveCredentials } from './http/credentials.ts';
export type { ResumeReason } from './news/reason.ts';
export { Download, downloadIn } from './resume/download.ts';
export { type EventHooks, EventStream, isEventStream } from './resume/event-stream.ts';
export { type Resuming, type ResumptionOptions, readResuming } from './resume/options.ts';
export { explain, type Resumption, rememberOf, rememberResumption } from './resume/resumed.ts';
export { type RestRequest, type Resumed, Resumer } from './resume/resumer.ts';
