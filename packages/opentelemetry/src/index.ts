export { instrument } from './instrument.ts';
export { type ObservableBudget, type ObservedBucket, type ObservedLimits, observe } from './observe.ts';
export type { ObservableStats } from './observe-shared.ts';
export { type TelemetryOptions, telemetry } from './telemetry.ts';
