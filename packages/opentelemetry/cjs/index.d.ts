export { instrument } from './instrument.ts';
export { type ObservableBudget, type Observed, observe } from './observe.ts';
export { type TelemetryOptions, telemetry } from './telemetry.ts';
//# sourceMappingURL=index.d.ts.map