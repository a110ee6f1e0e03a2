import type { Random } from '@ebb/core';
import type { ServerOptions } from '../../scenario/server-options.ts';
import { JobCosts } from './job-costs.ts';
import { Server } from './server.ts';

/** An event has room for so many pairs of a shard and an epoch. */
const PAIRS = 256;
const MOST_EPOCHS = 128;

/** The simulation around the servers. */
export interface ServersWorld {
  /** The randomness of a shard. */
  randomOf(shard: number): Random;
  /** Schedules a call of {@link Servers.finish} with these numbers. */
  finishIn(durationMs: number, job: number, stamp: number, place: number): void;
  /** Sends an answer to the client. */
  answer(job: number, stamp: number, outcome: number): void;
}

/** The shards behind one name: one server unless the scenario has more. */
export class Servers {
  /** The costs in the answers on their way, if the limit has units. */
  readonly spent: JobCosts | undefined;
  readonly #all: readonly Server[];
  readonly #epochs: number;

  constructor(options: ServerOptions, world: ServersWorld) {
    const { shards = 1, limit, troubles = [] } = options;
    const epochs = Math.min(MOST_EPOCHS, Math.floor(PAIRS / shards));
    const spent = limit !== undefined && 'limits' in limit ? new JobCosts() : undefined;
    this.spent = spent;
    this.#epochs = epochs;
    this.#all = Array.from({ length: shards }, (_, at) => {
      const own = troubles.filter(({ shard = at }) => shard === at);
      const random = world.randomOf(at);
      const finishIn = (durationMs: number, job: number, stamp: number, epoch: number): void =>
        world.finishIn(durationMs, job, stamp, at * epochs + epoch);
      return new Server(
        { ...options, troubles: own },
        { random, epochs, finishIn, answer: world.answer },
        spent,
      );
    });
  }

  /** Requests that wait for a worker. */
  get queue(): number {
    return this.#all.reduce((sum, { queue }) => sum + queue, 0);
  }

  /** Requests that are being served. */
  get busy(): number {
    return this.#all.reduce((sum, { busy }) => sum + busy, 0);
  }

  /** The times at which {@link change} must be called. */
  get moments(): number[] {
    return [...new Set(this.#all.flatMap(({ moments }) => moments))].sort((a, b) => a - b);
  }

  /** A request arrives at a shard. */
  receive(shard: number, job: number, stamp: number, nowMs: number): void {
    (this.#all[shard] as Server).receive(job, stamp, nowMs);
  }

  /** A worker is done. */
  finish(job: number, stamp: number, place: number, nowMs: number): void {
    const shard = (place / this.#epochs) | 0;
    (this.#all[shard] as Server).finish(job, stamp, place - shard * this.#epochs, nowMs);
  }

  /** A trouble begins, changes or ends. */
  change(nowMs: number): void {
    for (const server of this.#all) server.change(nowMs);
  }
}
