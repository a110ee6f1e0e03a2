import type { Meter, Observable } from '@opentelemetry/api';

type MakeOne = (name: string, unit: string, description: string) => Observable;

/** Makes instruments of one limit. */
export interface Make {
  readonly gauge: MakeOne;
  /** Makes an instrument for a number that only grows. */
  readonly counter: MakeOne;
}

/** @param made gets every instrument */
export function makeOf(meter: Meter, made: Observable[]): Make {
  const noted = (instrument: Observable): Observable => {
    made.push(instrument);
    return instrument;
  };
  return {
    gauge: (name, unit, description) =>
      noted(meter.createObservableGauge(`ebb.client.${name}`, { unit, description })),
    counter: (name, unit, description) =>
      noted(meter.createObservableCounter(`ebb.client.${name}`, { unit, description })),
  };
}
