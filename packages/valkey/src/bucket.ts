import type { BucketStats, ObservableBucket } from '@ebb/core';
import {
  type Amount,
  type CloseOptions,
  NamedUnits,
  type Quota,
  WaitingBucket,
  type WaitingQueue,
} from '@ebb/core/bucket';
import { FleetTokens } from './fleet-tokens.ts';
import { type LimitChange, limitChanges } from './limit-changes.ts';
import type { LossReason } from './loss-reason.ts';
import { type FleetSetup, fleetSetup, type IdleState, type ValkeyBucketOptions } from './options.ts';

/** How a shared bucket stands, as far as this process knows. */
export interface ValkeyBucketStats extends BucketStats {
  /** `'shared'`, or the mode while the store cannot be reached. */
  readonly mode: 'shared' | 'local' | 'open' | 'closed';
  /** Tokens that this process has leased and not spent. */
  readonly leased: number;
  /** How many processes share the bucket; 0 until the store has reported them. */
  readonly processes: number;
  /** The name of this process in the store, eight letters and digits. */
  readonly process: string;
  /** The part of the quota that this process has without the store, from 0 to 1. */
  readonly share: number;
  /** Calls of this process to the store. */
  readonly calls: number;
  /** How long they took together, in milliseconds: by `calls`, the average. */
  readonly callMs: number;
  /** How often this process has lost the store, by reason. */
  readonly losses: Readonly<Record<LossReason, number>>;
  /** How often it was back. */
  readonly recoveries: number;
}

/** A token bucket that all processes with the same key share. */
export interface ValkeyBucket extends ObservableBucket {
  stats(): ValkeyBucketStats;
  /**
   * Changes the limits of the whole fleet: of the one unit, or by the names of units, of which the others stay. Resolves when the store
   * has them, and this process uses them; busy processes follow within a second, those whose requests wait for a slow bucket
   * within five, and quiet ones before they send. Limits that are set hold
   * until a process declares others than before, or no process has called for a day. Processes that set the same do not disturb each
   * other. Rejects with a TypeError or a RangeError for wrong limits, and with an Error if the bucket was closed, the store is away, or
   * another process has set others meanwhile.
   */
  setLimits(limits: LimitChange | Readonly<Record<string, LimitChange>>): Promise<void>;
  /**
   * As {@link ObservableBucket.close}. Also gives back leased tokens that were not spent: at once, or with `'drain'`
   * when the queue is empty. The client stays open.
   */
  close(options?: CloseOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The bucket of {@link valkeyBucket}. */
export class FleetBucket extends WaitingBucket<FleetTokens> implements ValkeyBucket {
  readonly #setup: FleetSetup;
  readonly #named: NamedUnits | undefined;

  constructor(setup: FleetSetup) {
    const { names, limits } = setup;
    const units = names && new NamedUnits(names, limits);
    super(
      setup,
      (time, queue, onChange) =>
        new FleetTokens(setup, time, queue as WaitingQueue<Amount>, onChange, () => this.capacityChanged()),
      units,
    );
    this.#setup = setup;
    this.#named = units;
  }

  protected override get pausedUnit(): number {
    const { limits } = this.#setup;
    const fills = limits.map(({ capacity, refillPerSecond }) => capacity / refillPerSecond);
    return fills.indexOf(Math.min(...fills));
  }

  override stats(): ValkeyBucketStats {
    const { mode, leased, processes, state, counts } = this.source;
    const { callMs, losses, recoveries } = counts;
    const process = state.member.name;
    const { calls, share } = this;
    const stats = { ...super.stats(), mode, processes, process, share, calls, callMs, losses, recoveries };
    if (this.#named === undefined) return { ...stats, leased: leased as number };
    const tokens = this.source.tokens(this.time.now()) as readonly number[];
    const { limits } = this.#setup;
    const shares = limits.map(({ capacity }, unit) => (tokens[unit] as number) / capacity);
    const least = shares.indexOf(Math.min(...shares));
    const of = (amount: Amount, unit = least): number =>
      typeof amount === 'number' ? amount : (amount[unit] as number);
    return {
      ...stats,
      ...(limits[least] as Quota),
      tokens: of(tokens),
      waitingCost: of(stats.waitingCost),
      leased: of(leased),
      units: this.#named.byName((unit) => ({ ...(limits[unit] as Quota), tokens: of(tokens, unit) })),
    };
  }

  /** Returns the state to keep of the bucket; `undefined` while a request needs the bucket. */
  rest(): IdleState | undefined {
    const isNeeded = this.originLevels().length > 0 || super.stats().waiting > 0;
    return isNeeded ? undefined : this.source.rest();
  }

  /** As in {@link ValkeyBucketStats}, without the others: these are asked with each call for a key. */
  get share(): number {
    return this.source.share(this.time.now());
  }

  get processes(): number {
    return this.source.processes;
  }

  get calls(): number {
    return this.source.state.calls;
  }

  /** A request of another key needs the store: it counts this process. */
  used(): void {
    this.source.used(this.time.now());
  }

  /** The store was lost for another key: whether this one has lost it as well. */
  lost(): void {
    this.source.tell({ type: 'join' });
  }

  /** Stops watching the client. */
  release(): void {
    this.source.release();
  }

  async setLimits(limits: LimitChange | Readonly<Record<string, LimitChange>>): Promise<void> {
    await this.source.setLimits(limitChanges(this.#setup.names, limits));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * A token bucket in Valkey or Redis that all processes with the same key share: in any window of
 * time at most `capacity + rate · window` tokens are leased to them all together.
 *
 * @throws TypeError, RangeError for an invalid option
 * @example
 * ```ts
 * import { createFetch } from '@ebb/fetch';
 * import { valkeyBucket } from '@ebb/valkey';
 * import { Redis } from 'iovalkey';
 *
 * // 500 requests per second for all processes together.
 * const client = new Redis('redis://localhost:6379');
 * const bucket = valkeyBucket({ client, key: 'api.example.com', refillPerSecond: 500 });
 * const fetch = createFetch({ bucket });
 * ```
 */
export function valkeyBucket(options: ValkeyBucketOptions): ValkeyBucket {
  return new FleetBucket(fleetSetup(options));
}
