export { instrument } from './instrument.ts';
export { type ObservableBudget, type Observed, type ObservedBucket, observe } from './observe.ts';
export type { ObservableStats } from './observe-shared.ts';
export { type TelemetryOptions, telemetry } from './telemetry.ts';
