import { CLIENTS } from './worlds.ts';

/** Requests a second. */
export const MIXED_RATES: readonly number[] = [50, 150];

/** Clients, and the requests that they send together. */
export interface Mix {
  readonly clients: number;
  readonly requestsPerSecond: number;
}

/** The fleets that each kind of service outside the grid is played with. */
export const MIXES: readonly Mix[] = MIXED_RATES.flatMap((requestsPerSecond) =>
  CLIENTS.map((clients) => ({ clients, requestsPerSecond })),
);

/** The name of a world outside the grid. */
export function nameOf(kind: string, { clients, requestsPerSecond }: Mix): string {
  return `${kind}, ${clients.toLocaleString('en')} × ${requestsPerSecond}/s`;
}
