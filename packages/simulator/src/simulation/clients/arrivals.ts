import type { Random } from '@ebb/core';
import { exponentialTime } from '../../engine/distributions.ts';
import { ARRIVAL, type Events } from '../../engine/events.ts';
import type { ClosedClients, OpenClients } from '../../scenario/scenario.ts';

/** Where new requests come from. */
export interface Arrivals {
  start(): void;
  /** Answers the client of the request that arrives now, and sees to the one after it. */
  arrive(subject: number): number;
  /** A client's request is over. */
  ended(client: number): void;
}

/** One Poisson process for the whole fleet: the same as one for each client, and a single event. */
function openArrivals({ count, requestsPerSecond }: OpenClients, events: Events, random: Random): Arrivals {
  const meanMs = 1_000 / requestsPerSecond;
  const next = (): void => events.add(exponentialTime(meanMs, random), ARRIVAL, 0);
  return {
    start: next,
    arrive() {
      next();
      return Math.floor(random() * count);
    },
    ended() {},
  };
}

/** Each client thinks, asks, waits for the end, and thinks again. */
function closedArrivals(options: ClosedClients, events: Events, random: Random): Arrivals {
  const { count, thinkMs, requestsEach } = options;
  const left = requestsEach === undefined ? undefined : new Int32Array(count).fill(requestsEach);
  const think = (client: number): void => {
    if (left !== undefined) {
      if (left[client] === 0) return;
      left[client] = (left[client] as number) - 1;
    }
    events.add(exponentialTime(thinkMs, random), ARRIVAL, client);
  };
  return {
    start() {
      for (let client = 0; client < count; client += 1) think(client);
    },
    arrive: (client) => client,
    ended: think,
  };
}

/** The requests of a fleet, open or closed. */
export function arrivalsOf(clients: OpenClients | ClosedClients, events: Events, random: Random): Arrivals {
  return 'thinkMs' in clients
    ? closedArrivals(clients, events, random)
    : openArrivals(clients, events, random);
}
