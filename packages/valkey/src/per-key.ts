import type { RequestTraits } from '@ebb/core';
import {
  type BucketPerKey,
  type CloseOptions,
  type Complete,
  check,
  type Entry,
  LimitPerKey,
  type OptionTable,
  originOf,
  readOptions,
} from '@ebb/core/bucket';
import { FleetBucket, type ValkeyBucket, type ValkeyBucketStats } from './bucket.ts';
import { emitStoreEvent, type StoreEvent } from './events.ts';
import { oneTimer } from './one-timer.ts';
import {
  type FleetSetup,
  fleetSetup,
  type IdleState,
  type SharedFleet,
  type ValkeyBucketOptions,
} from './options.ts';
import { inPipeline } from './pipeline.ts';

/** Options of {@link valkeyBucketPerKey}. Each key has the limits to itself. */
export interface ValkeyBucketPerKeyOptions extends ValkeyBucketOptions {
  /**
   * The name of all the buckets, without braces. The bucket of a request's key is `prefix{name:key}` in the store, with `%25`, `%7B` and
   * `%7D` for `%` and braces. The name of no other bucket may begin with `name:`.
   */
  readonly key: string;
  /**
   * The key of a request, such as a tenant. Requests with the same key share a bucket.
   * @default the origin of its URL
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
  /**
   * The most keys that requests need at once before a warning says so. Keys that rest are not counted.
   * @default 100_000
   */
  readonly maxKeys?: number | undefined;
}

/** How the buckets of all keys stand, as far as this process knows. */
export interface ValkeyBucketPerKeyStats
  extends Pick<ValkeyBucketStats, 'mode' | 'processes' | 'process' | 'share' | 'calls'> {
  /** Keys that requests need. */
  readonly active: number;
  /** Keys without requests whose buckets are not full yet. */
  readonly resting: number;
}

/** A shared bucket for each key. */
export interface ValkeyBucketPerKey extends BucketPerKey<ValkeyBucket> {
  stats(): ValkeyBucketPerKeyStats;
  [Symbol.asyncDispose](): Promise<void>;
}

/** How often keys are looked at that no request needs, in milliseconds. */
const SWEEP_MS = 250;

/** A bucket of a key rests if no request has needed it for so long, in milliseconds. */
const REST_AFTER_MS = 250;

/** How many resting keys are looked at in a turn. */
const KEYS_A_LOOK = 10_000;

type KeyOptions = Pick<ValkeyBucketPerKeyOptions, 'keyOf' | 'maxKeys'>;

const KEY_OPTIONS: OptionTable<KeyOptions> = {
  keyOf: { check: check.callable, default: originOf },
  maxKeys: { check: check.countingNumber, default: 100_000 },
};

/**
 * The key of a request, encoded for the key in the store. Braces would end the part that a cluster hashes, and a client makes the same
 * character of all lone surrogates. `%` is encoded as well, so that two keys never read alike.
 */
const encoded = (key: string): string =>
  key.replace(/[%{}\p{Cs}]/gu, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** The state of the store that all keys share. */
class Fleet implements SharedFleet {
  /** Calls for keys whose buckets rest. */
  restedCalls = 0;
  readonly own: FleetBucket;
  readonly #setup: FleetSetup;
  readonly #observer: FleetSetup['onStoreEvent'];
  #lost: Extract<StoreEvent, { type: 'lost' }> | undefined;

  constructor(setup: FleetSetup) {
    this.#setup = { ...setup, onStoreEvent: (event) => this.told(event, true) };
    this.own = new FleetBucket(this.#setup);
    this.#observer = setup.onStoreEvent;
  }

  share(): number {
    return this.own.share;
  }

  processes(): number {
    return this.own.processes;
  }

  used(): void {
    this.own.used();
  }

  error(): unknown {
    return this.#lost?.error;
  }

  get mode(): ValkeyBucketStats['mode'] {
    return this.#lost?.mode ?? 'shared';
  }

  /** The buckets of many keys lose the store, and find it again, one by one: the observer is told once. */
  told(event: StoreEvent, isOwn = false): void {
    if (event.type === 'step' && !isOwn) return;
    if (event.type === 'lost') {
      if (this.#lost?.mode === event.mode) return;
      this.#lost = event;
      // From its own call on it holds its share until the store is back.
      if (!isOwn) this.own.lost();
    } else if (event.type === 'back') {
      if (this.#lost === undefined) return;
      this.#lost = undefined;
    }
    const { key, atMs, ...rest } = event;
    emitStoreEvent({ onStoreEvent: this.#observer, key: this.#setup.key }, this.#setup.clock, rest);
  }
}

/**
 * Keeps whole buckets for keys with requests, and a few numbers for each other key until its bucket is full, so that the store cannot lose
 * the bucket. A single timer looks at all keys, and runs while there are any.
 */
class TenantBuckets extends LimitPerKey implements ValkeyBucketPerKey {
  readonly #fleet: Fleet;
  readonly #setup: FleetSetup;
  readonly #resting = new Map<string, IdleState>();
  #stopSweep: (() => void) | undefined;
  /** Where the look at resting keys goes on. */
  #looked: MapIterator<[string, IdleState]> | undefined;

  constructor(setup: FleetSetup, { keyOf, maxKeys }: Complete<KeyOptions>) {
    const { clock } = setup;
    super((key) => this.#make(key), { clock, keyOf, maxKeys, idleMs: REST_AFTER_MS });
    this.#setup = { ...setup, storeClient: inPipeline(setup.client, setup.storeClient) };
    this.#fleet = new Fleet(setup);
  }

  declare for: (request: RequestTraits, key?: string) => ValkeyBucket;

  #make(key: string): FleetBucket {
    const rested = this.#resting.get(key);
    this.#resting.delete(key);
    this.#sweepLater();
    const { limits, key: whole } = this.#setup;
    return new FleetBucket({
      ...this.#setup,
      limits: limits.map((limit) => ({ ...limit })),
      key: `${whole.slice(0, -1)}:${encoded(key)}}`,
      shared: this.#fleet,
      rested,
      onStoreEvent: (event) => this.#fleet.told(event),
    });
  }

  #sweepLater(): void {
    const self = new WeakRef(this);
    this.#stopSweep ??= this.#setup.clock.schedule(() => self.deref()?.sweep(), SWEEP_MS, true);
  }

  private sweep(): void {
    this.#stopSweep = undefined;
    this.tidy();
    this.#forgetFull();
    if (this.size > 0 || this.#resting.size > 0) this.#sweepLater();
  }

  /** A part of the keys at a time: a bucket is full when its key has expired in the store. */
  #forgetFull(): void {
    const nowMs = this.#setup.clock.now();
    const iterator = this.#looked ?? this.#resting.entries();
    this.#looked = undefined;
    for (let count = 0; count < KEYS_A_LOOK; count += 1) {
      const { value, done } = iterator.next();
      if (done) return;
      const [key, [keptUntilMs = 0]] = value;
      if (keptUntilMs < nowMs) this.#resting.delete(key);
    }
    this.#looked = iterator;
  }

  protected override mayEvict(key: string, { limit, calls }: Entry): boolean {
    if (calls > 0) return false;
    const bucket = limit as unknown as FleetBucket;
    const rested = bucket.rest();
    if (rested === undefined) return false;
    this.#fleet.restedCalls += bucket.calls;
    bucket.release();
    if ((rested[0] ?? 0) > this.#setup.clock.now()) this.#resting.set(key, rested);
    return true;
  }

  stats(): ValkeyBucketPerKeyStats {
    const { processes, process, share, calls } = this.#fleet.own.stats();
    const own = this.all().reduce((sum, bucket) => sum + (bucket as unknown as FleetBucket).calls, 0);
    return {
      ...{
        active: this.size,
        resting: this.#resting.size,
        mode: this.#fleet.mode,
        processes,
        process,
        share,
      },
      calls: calls + own + this.#fleet.restedCalls,
    };
  }

  override async close(options?: CloseOptions): Promise<void> {
    await super.close(options);
    this.#stopSweep?.();
    this.#stopSweep = undefined;
    await this.#fleet.own.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * A {@link valkeyBucket} for each key, such as a tenant, in one object. A key without requests takes some 250 bytes here until its bucket
 * is full, and none afterwards. A lone request makes one call. This process is counted once, not for each key.
 *
 * @throws TypeError, RangeError for an invalid option
 * @example
 * ```ts
 * import type { RequestTraits } from '@ebb/core';
 * import { createFetch } from '@ebb/fetch';
 * import { valkeyBucketPerKey } from '@ebb/valkey';
 * import { Redis } from 'iovalkey';
 *
 * // 10 requests per second for each tenant, in all processes together.
 * const client = new Redis('redis://localhost:6379');
 * const keyOf = (request: RequestTraits) => request.header('x-tenant') ?? '';
 * const fetch = createFetch({ bucket: valkeyBucketPerKey({ client, key: 'tenants', refillPerSecond: 10, keyOf }) });
 * ```
 */
export function valkeyBucketPerKey(options: ValkeyBucketPerKeyOptions): ValkeyBucketPerKey {
  const { keyOf, maxKeys, ...bucket } = options ?? {};
  const setup = fleetSetup(bucket);
  return new TenantBuckets(
    { ...setup, clock: oneTimer(setup.clock) },
    readOptions('valkeyBucketPerKey', { keyOf, maxKeys }, KEY_OPTIONS),
  );
}
