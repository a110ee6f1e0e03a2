export type { ResumptionOptions } from './options.ts';
