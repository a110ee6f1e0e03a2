export type { HedgeNotes } from './loop/attempts.ts';
export { HEDGES, Hedging } from './parts/hedge/hedging.ts';
export { noteHedges } from './parts/hedge/history.ts';
export { PromiseRace, type Try } from './parts/hedge/promises.ts';
export { type Hedge, Race } from './parts/hedge/race.ts';
export * as hedgeRule from './parts/hedge/rule.ts';
