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

  constructor(count: number, random: Random) {
    this.#random = random;
    this.#requests = new Array<number>(count).fill(0);
    this.#failures = [...this.#requests];
    this.#latency = this.#requests.map(() => new Histogram());
  }

  /** A request begins. */
  begin(request: number): void {
    const shard = Math.floor(this.#random() * this.#requests.length);
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
