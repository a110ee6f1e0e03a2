import { type Scenario, type Series, simulate, type Trace, type Trouble } from '@ebb/simulator';
import { fleetPolicy } from './policy.ts';
import type { Settings } from './settings.ts';

/** The start of the trouble. */
export const TROUBLE_FROM_MS = 10_000;
/** The time after the trouble. */
const AFTER_MS = 60_000;
const SERVICE_MS = 20;
/** A full queue takes two seconds. Requests of clients that wait one second time out in it. */
const QUEUE_SECONDS = 2;

/** The capacity of the service, in requests per second. */
export function capacityOf({ requestsPerSecond, load }: Settings): number {
  return requestsPerSecond / load;
}

function troubleOf({ trouble, troubleSeconds }: Settings): Trouble {
  const span = { fromMs: TROUBLE_FROM_MS, untilMs: TROUBLE_FROM_MS + troubleSeconds * 1_000 };
  if (trouble === 'brown-out') return { type: trouble, ...span, capacityShare: 0.5 };
  return { type: 'outage', ...span, answer: trouble };
}

/** The length of a run in seconds. */
export function secondsOf({ troubleSeconds }: Settings): number {
  return (TROUBLE_FROM_MS + AFTER_MS) / 1_000 + troubleSeconds;
}

/** The fleet, the service and its trouble. */
function scenarioOf(settings: Settings): Scenario {
  const { clients, requestsPerSecond } = settings;
  const capacity = capacityOf(settings);
  return {
    durationMs: secondsOf(settings) * 1_000,
    clients: { count: clients, requestsPerSecond },
    network: { meanMs: 5, deviationMs: 1 },
    server: {
      workers: Math.max(1, Math.round((capacity * SERVICE_MS) / 1_000)),
      serviceMs: SERVICE_MS,
      maxQueue: Math.round(capacity * QUEUE_SECONDS),
      troubles: [troubleOf(settings)],
    },
    policy: fleetPolicy(settings),
  };
}

export function runFleet(settings: Settings, onProgress?: (share: number, series: Series) => void): Trace {
  return simulate(scenarioOf(settings), { seed: settings.seed, onProgress });
}

/** The same for settings that give the same trace. */
export function fleetKey(settings: Settings): string {
  return JSON.stringify([scenarioOf(settings), settings.seed]);
}
