import type { Random } from '@ebb/core';
import { DRAWS, troubleMoments } from '@ebb/testing/faults';
import type { ServerOptions } from '../../scenario/server-options.ts';
import { OK, RESET, tooMany, UNAVAILABLE } from '../outcomes.ts';
import { JobCosts } from './job-costs.ts';
import { JobLine } from './job-line.ts';
import { ServerBucket, type ServerGate } from './server-bucket.ts';
import { ServerQuotas } from './server-quotas.ts';
import { type Health, healthAt, SILENCE } from './trouble.ts';

/** The simulation around a server. */
export interface ServerWorld {
  readonly random: Random;
  /**
   * How many epochs have a number.
   * @default 128
   */
  readonly epochs?: number;
  /** Schedules a call of {@link Server.finish} with these numbers. */
  finishIn(durationMs: number, job: number, stamp: number, epoch: number): void;
  /** Sends an answer to the client. */
  answer(job: number, stamp: number, outcome: number): void;
}

function serviceTimeOf(options: ServerOptions): (random: Random) => number {
  const { serviceMs, serviceSpread = 'exponential', stragglers } = options;
  const draw = DRAWS[serviceSpread];
  if (stragglers === undefined) return (random) => draw(serviceMs, random);
  const { share, factor } = stragglers;
  return (random) => {
    const ms = draw(serviceMs, random);
    return random() < share ? ms * factor : ms;
  };
}

/**
 * Workers that each serve one request at a time, and a queue before them. The server does not learn that a client has
 * given up: it serves abandoned requests like all others, as real servers do.
 */
export class Server {
  /** Requests in service, including requests of workers that leave afterwards. */
  busy = 0;
  readonly #options: ServerOptions;
  readonly #world: ServerWorld;
  readonly #serviceTime: (random: Random) => number;
  readonly #maxQueue: number;
  readonly #queueFull: number;
  readonly #line = new JobLine();
  readonly #gate: ServerGate | undefined;
  #health: Health = { capacityShare: 1, errorShare: 0, outage: undefined };
  #workers: number;
  /** Changes when the requests that are being served are lost. */
  #epoch = 0;
  #lostInSilence = false;

  /** @param spent gets what requests have spent, if the limit has units */
  constructor(options: ServerOptions, world: ServerWorld, spent: JobCosts = new JobCosts()) {
    this.#options = options;
    this.#world = world;
    this.#serviceTime = serviceTimeOf(options);
    this.#maxQueue = options.maxQueue ?? Number.POSITIVE_INFINITY;
    this.#queueFull = options.queueFull === 'too-many' ? tooMany(undefined) : UNAVAILABLE;
    this.#workers = options.workers;
    const { limit } = options;
    if (limit === undefined) return;
    this.#gate = 'limits' in limit ? new ServerQuotas(limit, world.random, spent) : new ServerBucket(limit);
  }

  /** Requests that wait for a worker. */
  get queue(): number {
    return this.#line.size;
  }

  /** The times at which {@link change} must be called. */
  get moments(): number[] {
    return troubleMoments(this.#options.troubles ?? []);
  }

  /** A request arrives. */
  receive(job: number, stamp: number, nowMs: number): void {
    const { outage } = this.#health;
    if (outage !== undefined) {
      if (outage !== SILENCE) this.#world.answer(job, stamp, outage);
      return;
    }
    if (this.#gate !== undefined && !this.#gate.take(nowMs)) {
      this.#world.answer(job, stamp, tooMany(this.#gate.retryAfterSeconds(nowMs)));
    } else if (this.busy < this.#workers) {
      this.#serve(job, stamp);
    } else if (this.#line.size < this.#maxQueue) {
      this.#line.push(job, stamp);
    } else {
      this.#world.answer(job, stamp, this.#queueFull);
    }
  }

  #serve(job: number, stamp: number): void {
    this.busy += 1;
    this.#world.finishIn(this.#serviceTime(this.#world.random), job, stamp, this.#epoch);
  }

  /** A worker is done. If its request was lost in an outage, the client learns so now, when it expected the answer. */
  finish(job: number, stamp: number, epoch: number, nowMs: number): void {
    if (epoch !== this.#epoch) {
      if (!this.#lostInSilence) this.#world.answer(job, stamp, RESET);
      return;
    }
    this.busy -= 1;
    const { errorShare } = this.#health;
    const failed = errorShare > 0 && this.#world.random() < errorShare;
    if (!failed) this.#gate?.served?.(job, stamp, nowMs);
    this.#world.answer(job, stamp, failed ? UNAVAILABLE : OK);
    this.#serveWaiting();
  }

  #serveWaiting(): void {
    while (this.busy < this.#workers && this.#line.size > 0) {
      const job = this.#line.shift();
      this.#serve(job, this.#line.stamp);
    }
  }

  /** A trouble begins, changes or ends. */
  change(nowMs: number): void {
    const before = this.#health;
    this.#health = healthAt(this.#options.troubles ?? [], nowMs);
    this.#workers = Math.round(this.#options.workers * this.#health.capacityShare);
    const { outage } = this.#health;
    if (outage !== undefined && before.outage === undefined) {
      this.#epoch = (this.#epoch + 1) % (this.#world.epochs ?? 128);
      this.#lostInSilence = outage === SILENCE;
      this.busy = 0;
      while (this.#line.size > 0) {
        const job = this.#line.shift();
        if (!this.#lostInSilence) this.#world.answer(job, this.#line.stamp, RESET);
      }
    }
    this.#serveWaiting();
  }
}
