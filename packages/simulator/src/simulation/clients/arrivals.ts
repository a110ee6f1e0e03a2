import type { Random } from '@ebb/core';
import { DRAWS } from '@ebb/testing/faults';
import { ARRIVAL, type Events } from '../../engine/events.ts';
import type { ClosedClients, OpenClients } from '../../scenario/client-options.ts';

/** The source of new requests. */
export interface Arrivals {
  start(): void;
  /** Returns the client of the request that arrives now, and schedules the next arrival. */
  arrive(subject: number): number;
  /** Called when a request of a client has ended. */
  ended(client: number): void;
}

/** A single Poisson process for the whole fleet: equal to a process for each client, but with only one pending event. */
function openArrivals(options: OpenClients, events: Events, random: Random): Arrivals {
  const { count, requestsPerSecond, surges = [] } = options;
  const meanMs = 1_000 / requestsPerSecond;
  const factor = (): number => {
    const { nowMs } = events;
    return surges.find(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs)?.factor ?? 1;
  };
  const next = (): void => events.add(DRAWS.exponential(meanMs / factor(), random), ARRIVAL, 0);
  return {
    start: next,
    arrive() {
      next();
      return Math.floor(random() * count);
    },
    ended() {},
  };
}

/** Each client thinks, sends a request, waits for its end, and thinks again. */
function closedArrivals(options: ClosedClients, events: Events, random: Random): Arrivals {
  const { count, thinkMs, requestsEach } = options;
  const left = requestsEach === undefined ? undefined : new Int32Array(count).fill(requestsEach);
  const think = (client: number): void => {
    if (left !== undefined) {
      if (left[client] === 0) return;
      left[client] = (left[client] as number) - 1;
    }
    events.add(DRAWS.exponential(thinkMs, random), ARRIVAL, client);
  };
  return {
    start() {
      for (let client = 0; client < count; client += 1) think(client);
    },
    arrive: (client) => client,
    ended: think,
  };
}

/** The arrivals of an open or a closed fleet. */
export function arrivalsOf(clients: OpenClients | ClosedClients, events: Events, random: Random): Arrivals {
  return 'thinkMs' in clients
    ? closedArrivals(clients, events, random)
    : openArrivals(clients, events, random);
}
