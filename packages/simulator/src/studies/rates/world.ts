import { seededRandom } from '@ebb/core/testing';
import { DRAWS } from '@ebb/testing/faults';
import { EventQueue } from '../../engine/event-queue.ts';
import { SimulationClock } from '../../engine/events.ts';

/** How one client finds its rate. */
export interface ClientRate {
  /** Takes a token, if there is one. */
  take(nowMs: number): boolean;
  /** How long until there is a token, in milliseconds. */
  waitMs(nowMs: number): number;
  /** Learns that a request was served or refused, which was sent at a time after a wait. */
  answered(served: boolean, sentAtMs: number, waitedMs: number, nowMs: number): void;
}

/** Makes the rate of one client that knows the quota of all. */
export type MakeRate = (
  quota: number,
  clock: SimulationClock,
  startMs: number,
  clients: number,
) => ClientRate;

/** Clients that share a quota, and know nothing of each other. */
export interface World {
  readonly clients: number;
  /** The quota of all clients together, in requests per second. @default 1000 */
  readonly quota?: number | undefined;
  /** The tokens that the bucket of the server holds at most. @default a fifth of the quota */
  readonly burst?: number | undefined;
  /** `closed`: each client asks again after each answer. A number: requests arrive at random, at so many times the quota. */
  readonly load: 'closed' | number;
  /** Every second client starts 30 s late. */
  readonly late?: boolean;
  /** The quota halves after 90 s, and is whole again after 150 s. */
  readonly changes?: boolean;
  readonly durationMs: number;
  /** @default 1 */
  readonly seed?: number | undefined;
}

/** The counts of the server, by the second. */
export interface Counts {
  /** The requests of all clients. */
  readonly served: Float64Array;
  readonly refused: Float64Array;
  /** The served requests of each client. */
  readonly each: readonly Float64Array[];
}

export const QUOTA = 1_000;
export const LATE_MS = 30_000;
export const HALVES_MS = 90_000;
export const DOUBLES_MS = 150_000;
/** The mean time of a message, each way; 16 to 24 ms. */
const NETWORK_MS = 20;
/** Requests of a closed loop: those of five round trips at the quota, at least four for each client. */
const ASKER_SECONDS = 0.2;

const [ASK, SERVE, REACH, ANSWER, CHANGE] = [0, 1, 2, 3, 4];
const KINDS = 8;

interface Request {
  readonly client: number;
  askedAtMs: number;
  sentAtMs: number;
  isServed: boolean;
}

/** Runs a world, and counts. A request that is refused is asked again at once, as a retry. */
export function runWorld(make: MakeRate, world: World): Counts {
  const { clients, load, late = false, changes = false, durationMs, seed = 1, quota = QUOTA } = world;
  const { burst = Math.max(1, quota / 5) } = world;
  const random = seededRandom(seed);
  const clock = new SimulationClock();
  const events = new EventQueue();
  const seconds = Math.ceil(durationMs / 1_000);
  const served = new Float64Array(seconds);
  const refused = new Float64Array(seconds);
  const each = Array.from({ length: clients }, () => new Float64Array(seconds));
  const startsMs = Array.from(
    { length: clients },
    (_, client) => random() * 100 + (late && client % 2 === 1 ? LATE_MS : 0),
  );
  const rates = startsMs.map((startMs) => make(quota, clock, startMs, clients));
  const lines: Request[][] = rates.map(() => []);
  const heads = rates.map(() => 0);
  const isArmed = rates.map(() => false);
  const requests: Request[] = [];
  let nowMs = 0;
  let perSecond = quota;
  let tokens = burst;
  let refilledAtMs = 0;

  const at = (atMs: number, kind: number, client: number, request = 0): void =>
    events.push(atMs, kind + KINDS * client, request);
  const message = (): number => NETWORK_MS * (0.8 + 0.4 * random());
  const ask = (request: Request): void => {
    request.askedAtMs = nowMs;
    lines[request.client]?.push(request);
    serve(request.client);
  };
  const begin = (client: number): void => ask({ client, askedAtMs: nowMs, sentAtMs: 0, isServed: false });
  const send = (client: number, request: Request): void => {
    request.sentAtMs = nowMs;
    requests.push(request);
    at(nowMs + message(), REACH, client, requests.length - 1);
  };
  const serve = (client: number): void => {
    const line = lines[client] as Request[];
    const rate = rates[client] as ClientRate;
    while ((heads[client] as number) < line.length) {
      if (!rate.take(nowMs)) {
        if (!isArmed[client]) at(nowMs + Math.min(100, rate.waitMs(nowMs) + 1e-3), SERVE, client);
        isArmed[client] = true;
        return;
      }
      send(client, line[heads[client] as number] as Request);
      heads[client] = (heads[client] as number) + 1;
    }
    line.length = 0;
    heads[client] = 0;
  };
  const refill = (): void => {
    tokens = Math.min(burst, tokens + ((nowMs - refilledAtMs) * perSecond) / 1_000);
    refilledAtMs = nowMs;
  };
  const reach = (request: Request): void => {
    refill();
    request.isServed = tokens >= 1;
    if (request.isServed) tokens -= 1;
    const second = Math.floor(nowMs / 1_000);
    const counts = request.isServed ? served : refused;
    counts[second] = (counts[second] as number) + 1;
    const own = each[request.client] as Float64Array;
    if (request.isServed) own[second] = (own[second] as number) + 1;
  };
  const answer = (request: Request): void => {
    const { client, isServed, sentAtMs, askedAtMs } = request;
    rates[client]?.answered(isServed, sentAtMs, sentAtMs - askedAtMs, nowMs);
    if (!isServed) ask(request);
    else if (load === 'closed') begin(client);
    else serve(client);
  };
  const nextMs = (): number => DRAWS.exponential((clients * 1_000) / (quota * Number(load)), random);
  startsMs.forEach((startMs, client) => {
    const askers = load === 'closed' ? Math.max(4, Math.round((ASKER_SECONDS * quota) / clients)) : 1;
    for (let asker = 0; asker < askers; asker += 1)
      at(startMs + (load === 'closed' ? 0 : nextMs()), ASK, client);
  });
  if (changes)
    for (const [atMs, parts] of [
      [HALVES_MS, 2],
      [DOUBLES_MS, 1],
    ] as const)
      at(atMs, CHANGE, 0, parts);
  while (events.nextAtMs < durationMs) {
    nowMs = events.nextAtMs;
    clock.nowMs = nowMs;
    events.pop();
    const [kind, client, stamp] = [events.event % KINDS, Math.floor(events.event / KINDS), events.stamp];
    const request = requests[stamp] as Request;
    if (kind === ASK) {
      if (load !== 'closed') at(nowMs + nextMs(), ASK, client);
      begin(client);
    } else if (kind === SERVE) {
      isArmed[client] = false;
      serve(client);
    } else if (kind === REACH) reach(request);
    else if (kind === ANSWER) answer(request);
    else {
      refill();
      perSecond = quota / stamp;
    }
    if (kind === REACH) at(nowMs + message(), ANSWER, client, stamp);
  }
  return { served, refused, each };
}
