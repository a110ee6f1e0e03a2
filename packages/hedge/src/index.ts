export type { HedgeOptions } from './hedge-plan.ts';
