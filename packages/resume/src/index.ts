export type { ResumeOptions } from './options.ts';
