import type { Random } from '@ebb/core';
import { Histogram } from '../measure/histogram.ts';
import type { ShardTrace } from '../measure/trace.ts';
import { RequestNumbers } from './request-numbers.ts';

/** The shard of each request, and the results of the requests to each shard. */
export class Shards {
  readonly #random: Random;
  readonly #shard = new RequestNumbers(1);
  readonly #requests: number[];
  readonly #failures: number[];
  readonly #latency: readonly Histogram[];

  /** The shards up to each one have this share of the requests. */
  readonly #upTo: readonly number[];

  /** @param weights of the shards: how many of the requests are for each */
  constructor(weights: readonly number[], random: Random) {
    this.#random = random;
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    let sum = 0;
    this.#upTo = weights.map((weight) => {
      sum += weight;
      return sum / all;
    });
    this.#requests = weights.map(() => 0);
    this.#failures = [...this.#requests];
    this.#latency = this.#requests.map(() => new Histogram());
  }

  /** A request begins. */
  begin(request: number): void {
    const drawn = this.#random();
    const found = this.#upTo.findIndex((share) => drawn < share);
    const shard = found < 0 ? this.#upTo.length - 1 : found;
    this.#shard.begin(request);
    this.#shard.set(request, 0, shard);
    this.#requests[shard] = (this.#requests[shard] as number) + 1;
  }

  /** The shard of a request, from 0. */
  of(request: number): number {
    return this.#shard.get(request, 0);
  }

  answered(request: number, tookMs: number): void {
    this.#latency[this.of(request)]?.add(tookMs);
  }

  failed(request: number): void {
    const shard = this.of(request);
    this.#failures[shard] = (this.#failures[shard] as number) + 1;
  }

  get traces(): ShardTrace[] {
    return this.#latency.map((latency, shard) => {
      const latencyMs = latency.quantiles();
      return {
        requests: this.#requests[shard] as number,
        successes: latencyMs.count,
        failures: this.#failures[shard] as number,
        latencyMs,
      };
    });
  }
}
