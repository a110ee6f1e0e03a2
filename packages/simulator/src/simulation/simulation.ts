import type { Random } from '@ebb/core';
import { seededRandom } from '@ebb/core/testing';
import {
  ANSWER,
  ARRIVAL,
  CHANGE,
  Events,
  EXPIRE,
  FINISH,
  HEDGE,
  LOOK,
  REACH,
  SEND,
  SimulationClock,
  TIMEOUT,
} from '../engine/events.ts';
import { delaySource } from '../engine/ziggurat.ts';
import { Measures, type Series } from '../measure/measures.ts';
import { ScenarioError } from '../scenario/check.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type Arrivals, arrivalsOf } from './clients/arrivals.ts';
import { Clients } from './clients/clients.ts';
import { fleetOf } from './clients/fleet.ts';
import { Requests } from './clients/requests.ts';
import { Servers } from './server/servers.ts';
import { Shards } from './shards.ts';

/** Called with the share of the run that is done, from 0 to 1, and the series so far: zeros after the current interval. */
export type OnProgress = (share: number, series: Series) => void;

/** Events between two calls of {@link OnProgress}. */
const PROGRESS_EVERY = 1 << 16;

/** More events than both of these at one time, the second for each open request, mean that time stands still. */
const MOST_AT_ONCE = 1_000_000;
const MOST_FOR_EACH = 16;

function timeStandsStill(atMs: number): ScenarioError {
  return new ScenarioError(
    `policy.backoff lets no time pass at ${atMs} ms: retries without delay that are refused without delay never end; ` +
      'give the scenario a network',
  );
}

/** A run of a scenario. */
export class Simulation {
  eventCount = 0;
  readonly measures: Measures;
  readonly #endMs: number;
  readonly #intervalMs: number;
  readonly #events: Events;
  readonly #arrivals: Arrivals;
  readonly #clients: Clients;
  readonly #servers: Servers;
  readonly shards: Shards | undefined;

  constructor(scenario: Scenario, seed: number) {
    const { clients, durationMs, intervalMs = 1_000, network } = scenario;
    this.#endMs = durationMs;
    this.#intervalMs = intervalMs;
    this.measures = new Measures(Math.ceil(durationMs / intervalMs));
    const clock = new SimulationClock();
    const requests = new Requests();
    const events = new Events(clock, dayOf(scenario), (subject) => requests.touch(subject));
    this.#events = events;

    // A random stream for each part, so that every policy meets the same requests.
    const stream = (name: number): Random => seededRandom(seed * 7_919 + name);
    const arrivals = arrivalsOf(clients, events, stream(1));
    this.#arrivals = arrivals;
    const delay = network && delaySource(seed * 7_919 + 4, network.meanMs, network.deviationMs ?? 0);
    const { shards: shardCount = 1, shardShares = new Array<number>(shardCount).fill(1) } = scenario.server;
    const shards = shardCount === 1 ? undefined : new Shards(shardShares, stream(5));
    const { paths = 1 } = 'thinkMs' in clients ? {} : clients;
    const drawPath = stream(6);
    this.shards = shards;
    this.#servers = new Servers(scenario.server, {
      randomOf: (shard) => stream(shard === 0 ? 3 : 100 + shard),
      finishIn: (ms, job, stamp, place) => events.add(ms, FINISH, job, stamp, place),
      answer: (job, stamp, outcome) => {
        if (delay === undefined) this.#clients.learn(job, stamp, outcome);
        else events.add(delay(), ANSWER, job, stamp, outcome);
      },
    });
    const servers = this.#servers;
    this.#clients = new Clients(
      clients.count,
      fleetOf(scenario, { clock, random: stream(2) }),
      requests,
      events,
      this.measures,
      {
        send(request, stamp) {
          const shard = shards === undefined ? 0 : shards.of(request);
          if (delay === undefined) servers.receive(shard, request, stamp, events.nowMs);
          else events.add(delay(), REACH, request, stamp, shard);
        },
        spent: servers.spent && ((request, stamp) => servers.spent?.take(request, stamp)),
        shards,
        pathOf: (request) =>
          paths === 'shards' ? (shards?.of(request) ?? 0) : paths > 1 ? Math.floor(drawPath() * paths) : 0,
        ended: (client) => arrivals.ended(client),
      },
    );
  }

  run(onProgress: OnProgress | undefined): void {
    const events = this.#events;
    const endMs = this.#endMs;
    for (const atMs of this.#servers.moments) if (atMs < endMs) events.add(atMs, CHANGE, 0);
    this.#arrivals.start();
    let eventsNow = 0;
    let closesAtMs = Math.min(this.#intervalMs, endMs);
    for (;;) {
      const atMs = events.nextAtMs;
      while (closesAtMs <= atMs && closesAtMs <= endMs) {
        this.measures.close(this.#servers.queue, this.#servers.busy, this.#clients.requests.open);
        closesAtMs =
          closesAtMs === endMs ? Number.POSITIVE_INFINITY : Math.min(closesAtMs + this.#intervalMs, endMs);
      }
      if (atMs >= endMs) break;
      if (atMs > events.nowMs) eventsNow = 0;
      eventsNow += 1;
      if (eventsNow > MOST_AT_ONCE && eventsNow > MOST_FOR_EACH * this.#clients.requests.open) {
        throw timeStandsStill(atMs);
      }
      events.next();
      this.#happen();
      this.eventCount += 1;
      if (this.eventCount % PROGRESS_EVERY === 0) onProgress?.(atMs / endMs, this.measures.series);
    }
    onProgress?.(1, this.measures.series);
  }

  #happen(): void {
    const events = this.#events;
    const { subject } = events;
    switch (events.kind) {
      case ARRIVAL:
        this.#clients.begin(this.#arrivals.arrive(subject));
        break;
      case SEND:
        this.#clients.ready(subject);
        break;
      case REACH:
        this.#servers.receive(events.beside, subject, events.stamp, events.nowMs);
        break;
      case FINISH:
        this.#servers.finish(subject, events.stamp, events.beside, events.nowMs);
        break;
      case ANSWER:
        this.#clients.learn(subject, events.stamp, events.beside);
        break;
      case TIMEOUT:
        this.#clients.timeOut(subject, events.stamp);
        break;
      case LOOK:
        this.#clients.look(subject);
        break;
      case EXPIRE:
        this.#clients.expire(subject, events.stamp);
        break;
      case CHANGE:
        this.#servers.change(events.nowMs);
        break;
      case HEDGE:
        this.#clients.hedge(subject, events.stamp);
    }
  }
}

/** The length of a day of the event calendar, in milliseconds: a day should hold a few dozen events. */
function dayOf({ clients, server }: Scenario): number {
  const served = ((server.shards ?? 1) * server.workers * 1_000) / server.serviceMs;
  const asked =
    'thinkMs' in clients ? (clients.count * 1_000) / Math.max(1, clients.thinkMs) : clients.requestsPerSecond;
  return Math.min(100, Math.max(1e-3, 8_000 / Math.min(asked, 2 * served)));
}
