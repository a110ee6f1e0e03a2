export { prose } from '#prose';
export { property } from './base/property.ts';
export { haveCredentials } from './http/credentials.ts';
export { Download } from './http/download.ts';
export { type EventHooks, EventStream, isEventStream } from './http/event-stream.ts';
export type { ResumeReason } from './loop/reason.ts';
export { explain, type Resumption, rememberOf, rememberResumption } from './loop/resumed.ts';
export { type RestRequest, type Resumed, Resumer } from './loop/resumer.ts';
export { type Resuming, type ResumptionOptions, readResuming } from './loop/resuming-options.ts';
