import { type NormalSource, normalSource } from '../engine/ziggurat.ts';

/** The state of all clients that still race, in an array for each number. Clients that are done leave the arrays. */
export class RaceState {
  readonly readAtMs: Float64Array;
  readonly writeAtMs: Float64Array;
  readonly previousMs: Float64Array;
  readonly failures: Int32Array;

  constructor(clients: number) {
    this.readAtMs = new Float64Array(clients);
    this.writeAtMs = new Float64Array(clients);
    this.previousMs = new Float64Array(clients);
    this.failures = new Int32Array(clients);
  }

  /** Moves the last client to the place of a client that is done. */
  replace(client: number, last: number): void {
    this.readAtMs[client] = this.readAtMs[last] as number;
    this.writeAtMs[client] = this.writeAtMs[last] as number;
    this.previousMs[client] = this.previousMs[last] as number;
    this.failures[client] = this.failures[last] as number;
  }
}

/** Network delays, one for each message. They are drawn in blocks and taken four at a time. */
export class Delays {
  readonly block: Float64Array = new Float64Array(4_096);
  at: number = this.block.length;
  readonly #fill: NormalSource;
  readonly #meanMs: number;
  readonly #deviationMs: number;

  constructor(seed: number, meanMs: number, deviationMs: number) {
    this.#fill = normalSource(seed);
    this.#meanMs = meanMs;
    this.#deviationMs = deviationMs;
  }

  /** The index of the next four in the block. */
  next(): number {
    if (this.at === this.block.length) {
      this.#fill(this.block, this.#meanMs, this.#deviationMs);
      this.at = 0;
    }
    this.at += 4;
    return this.at - 4;
  }
}
