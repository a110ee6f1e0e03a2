import type { Random } from '@ebb/core';
import { seededRandom } from '@ebb/core/testing';
import { Agenda, ANSWER, ARRIVAL, CHANGE, EXPIRE, FINISH, LOOK, REACH, SEND, TIMEOUT } from './agenda.ts';
import { type Arrivals, arrivalsOf } from './arrivals.ts';
import { ScenarioError } from './check.ts';
import { checkScenario } from './check-scenario.ts';
import { Clients } from './client.ts';
import { fleetOf, SimulationClock } from './fleet.ts';
import { Measures, type Series } from './measures.ts';
import { delaySource } from './normal.ts';
import { TIMED_OUT } from './outcomes.ts';
import { recoveryOf } from './recovery.ts';
import { Requests } from './requests.ts';
import type { Scenario } from './scenario.ts';
import { Server } from './server.ts';
import type { Trace } from './trace.ts';

/** How often progress is told, in events. */
const TELL_EVERY = 1 << 16;

/** Is told how a run gets on. */
type OnProgress = (share: number, series: Series) => void;

/** How a run is made. */
export interface SimulateOptions {
  /**
   * One seed, one trace.
   * @default 1
   */
  readonly seed?: number | undefined;
  /** Is told now and then how much is done, from 0 to 1, and what has been counted: whole intervals, then zeros. */
  readonly onProgress?: OnProgress | undefined;
}

/** With more events than this at one time, and this many for each request, time stands still. */
const MOST_AT_ONCE = 1_000_000;
const MOST_FOR_EACH = 16;

function timeStandsStill(atMs: number): ScenarioError {
  return new ScenarioError(
    `policy.backoff lets no time pass at ${atMs} ms: with retries at once and a refusal at once there is no end; ` +
      'give the scenario a network',
  );
}

class Simulation {
  events = 0;
  readonly measures: Measures;
  readonly #endMs: number;
  readonly #intervalMs: number;
  readonly #agenda: Agenda;
  readonly #arrivals: Arrivals;
  readonly #clients: Clients;
  readonly #server: Server;

  constructor(scenario: Scenario, seed: number) {
    const { clients, durationMs, intervalMs = 1_000, network } = scenario;
    this.#endMs = durationMs;
    this.#intervalMs = intervalMs;
    this.measures = new Measures(Math.ceil(durationMs / intervalMs));
    const clock = new SimulationClock();
    const requests = new Requests();
    const agenda = new Agenda(clock, dayOf(scenario), (subject) => requests.touch(subject));
    this.#agenda = agenda;

    // Streams of their own, so that every policy meets the same requests.
    const stream = (name: number): Random => seededRandom(seed * 7_919 + name);
    const arrivals = arrivalsOf(clients, agenda, stream(1));
    this.#arrivals = arrivals;
    const delay = network && delaySource(seed * 7_919 + 4, network.meanMs, network.deviationMs ?? 0);
    this.#server = new Server(scenario.server, {
      random: stream(3),
      finishIn: (ms, job, stamp, epoch) => agenda.add(ms, FINISH, job, stamp, epoch),
      answer: (job, stamp, outcome) => {
        if (delay === undefined) this.#clients.learn(job, stamp, outcome);
        else agenda.add(delay(), ANSWER, job, stamp, outcome);
      },
    });
    const server = this.#server;
    this.#clients = new Clients(
      clients.count,
      fleetOf(scenario, { clock, random: stream(2) }),
      requests,
      agenda,
      this.measures,
      {
        send(request, stamp) {
          if (delay === undefined) server.receive(request, stamp, agenda.nowMs);
          else agenda.add(delay(), REACH, request, stamp);
        },
        ended: (client) => arrivals.ended(client),
      },
    );
  }

  run(onProgress: OnProgress | undefined): void {
    const agenda = this.#agenda;
    const endMs = this.#endMs;
    for (const atMs of this.#server.moments) if (atMs < endMs) agenda.add(atMs, CHANGE, 0);
    this.#arrivals.start();
    let eventsNow = 0;
    let closesAtMs = Math.min(this.#intervalMs, endMs);
    for (;;) {
      const atMs = agenda.nextAtMs;
      while (closesAtMs <= atMs && closesAtMs <= endMs) {
        this.measures.close(this.#server.queue, this.#server.busy, this.#clients.requests.open);
        closesAtMs =
          closesAtMs === endMs ? Number.POSITIVE_INFINITY : Math.min(closesAtMs + this.#intervalMs, endMs);
      }
      if (atMs >= endMs) break;
      if (atMs > agenda.nowMs) eventsNow = 0;
      eventsNow += 1;
      if (eventsNow > MOST_AT_ONCE && eventsNow > MOST_FOR_EACH * this.#clients.requests.open) {
        throw timeStandsStill(atMs);
      }
      agenda.next();
      this.#happen();
      this.events += 1;
      if (this.events % TELL_EVERY === 0) onProgress?.(atMs / endMs, this.measures.series);
    }
    onProgress?.(1, this.measures.series);
  }

  #happen(): void {
    const agenda = this.#agenda;
    const { subject } = agenda;
    switch (agenda.kind) {
      case ARRIVAL:
        this.#clients.begin(this.#arrivals.arrive(subject));
        break;
      case SEND:
        this.#clients.ready(subject);
        break;
      case REACH:
        this.#server.receive(subject, agenda.stamp, agenda.nowMs);
        break;
      case FINISH:
        this.#server.finish(subject, agenda.stamp, agenda.beside);
        break;
      case ANSWER:
        this.#clients.learn(subject, agenda.stamp, agenda.beside);
        break;
      case TIMEOUT:
        this.#clients.learn(subject, agenda.stamp, TIMED_OUT);
        break;
      case LOOK:
        this.#clients.look(subject);
        break;
      case EXPIRE:
        this.#clients.expire(subject, agenda.stamp);
        break;
      case CHANGE:
        this.#server.change(agenda.nowMs);
    }
  }
}

/** The length of a day in the calendar of events, so that it holds a few dozen. */
function dayOf({ clients, server }: Scenario): number {
  const served = (server.workers * 1_000) / server.serviceMs;
  const asked =
    'thinkMs' in clients ? (clients.count * 1_000) / Math.max(1, clients.thinkMs) : clients.requestsPerSecond;
  return Math.min(100, Math.max(1e-3, 8_000 / Math.min(asked, 2 * served)));
}

/**
 * Runs a scenario in virtual time: every answer is judged by `decide`, every token counted by the arithmetic of
 * the token bucket. One seed, one trace.
 *
 * @throws ScenarioError for a scenario that cannot be run
 */
export function simulate(scenario: Scenario, options: SimulateOptions = {}): Trace {
  const { seed = 1, onProgress } = options;
  checkScenario(scenario);
  const simulation = new Simulation(scenario, seed);
  simulation.run(onProgress);
  const { latency, tokenWait, series, totals } = simulation.measures;
  return {
    seed,
    intervalMs: scenario.intervalMs ?? 1_000,
    series,
    totals,
    amplification: totals.requests === 0 ? 0 : totals.sends / totals.requests,
    latencyMs: latency.quantiles(),
    tokenWaitMs: tokenWait.quantiles(),
    recovery: recoveryOf(scenario, series),
    events: simulation.events,
  };
}
