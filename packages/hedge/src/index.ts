export type { HedgeOptions } from './hedging.ts';
