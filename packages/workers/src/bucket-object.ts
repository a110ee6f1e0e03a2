import { systemClock } from '@ebb/core/bucket';
import { type LeaseCall, readCall } from './lease-call.ts';
import { SharedTokens } from './shared-tokens.ts';

/** The part of the storage of a Durable Object that {@link BucketObject} uses. */
export interface ObjectStorage {
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  deleteAll(): Promise<void>;
  getAlarm(): Promise<number | null>;
  setAlarm(atMs: number): Promise<void>;
}

/** The part of the context of a Durable Object that {@link BucketObject} uses. */
export interface ObjectContext {
  readonly storage: ObjectStorage;
  blockConcurrencyWhile<T>(run: () => Promise<T>): Promise<T>;
}

/** The state in storage. Times are milliseconds since the epoch. */
interface StoredState {
  /** No token from after then is leased. */
  readonly emptyAtMs: number;
  readonly pausedUntilMs: number;
  /** When the bucket is full again. */
  readonly fullAtMs: number;
  /** When this was written. */
  readonly atMs: number;
}

/** The key in storage. */
const KEY = 'ebb:bucket';

/** The state is written for so long ahead, in milliseconds: one write a second, whatever the load. */
const RESERVED_MS = 1_000;

/** How often an alarm looks whether the state is still needed, in milliseconds. */
const ALARM_MS = 3_600_000;

/**
 * The Durable Object that holds the bucket of {@link durableBucket}. Export it from the worker, and bind it under any name: each
 * object of this class is a bucket. It answers calls of `durableBucket` alone.
 *
 * Its state is written before the tokens of the next second are leased. An object that is evicted or restarted goes on from there: it
 * loses the tokens of one second at most, and grants none twice. Once an hour an alarm deletes the state of a bucket that is full again.
 *
 * @example
 * ```ts
 * // The main module of the worker, whose wrangler.json binds the class:
 * //   "durable_objects": { "bindings": [{ "name": "BUCKET", "class_name": "BucketObject" }] },
 * //   "migrations": [{ "tag": "v1", "new_sqlite_classes": ["BucketObject"] }]
 * export { BucketObject } from '@ebb/workers';
 * ```
 *
 */
export class BucketObject {
  readonly #storage: ObjectStorage;
  readonly #tokens = new SharedTokens();
  #kept: StoredState | undefined;
  #fullAtMs = 0;
  #hasAlarm = false;

  constructor(context: ObjectContext) {
    this.#storage = context.storage;
    void context.blockConcurrencyWhile(() => this.#load());
  }

  async #load(): Promise<void> {
    const kept = (await this.#storage.get(KEY)) as StoredState | undefined;
    this.#hasAlarm = (await this.#storage.getAlarm()) !== null;
    if (kept === undefined) return;
    // The clock of another machine may be behind the one that has written the state.
    const aheadMs = Math.max(0, kept.atMs - systemClock.now());
    this.#kept = kept;
    this.#tokens.emptyAtMs = kept.emptyAtMs - aheadMs;
    this.#tokens.pausedUntilMs = kept.pausedUntilMs - aheadMs;
    this.#fullAtMs = kept.fullAtMs;
  }

  /** Answers a call of `durableBucket`, with status 400 if it is none. */
  async fetch(request: { json(): Promise<unknown> }): Promise<Response> {
    let call: LeaseCall;
    try {
      call = readCall(await request.json());
    } catch (error) {
      return new Response(String(error), { status: 400 });
    }
    const nowMs = systemClock.now();
    const reply = this.#tokens.lease(call, nowMs);
    await this.#keep((call.capacity * 1_000) / call.refillPerSecond, nowMs);
    return Response.json(reply);
  }

  /** Writes the state if it is not covered by what was written last. The runtime holds replies back until it is stored. */
  async #keep(fillMs: number, nowMs: number): Promise<void> {
    const { emptyAtMs, pausedUntilMs } = this.#tokens;
    const kept = this.#kept;
    if (kept && emptyAtMs <= kept.emptyAtMs && pausedUntilMs === kept.pausedUntilMs) return;
    if (emptyAtMs === Number.NEGATIVE_INFINITY) return;
    const aheadMs = emptyAtMs + RESERVED_MS;
    this.#fullAtMs = Math.max(this.#fullAtMs, aheadMs + fillMs);
    this.#kept = { emptyAtMs: aheadMs, pausedUntilMs, fullAtMs: this.#fullAtMs, atMs: nowMs };
    const written = this.#storage.put(KEY, this.#kept);
    if (!this.#hasAlarm) {
      this.#hasAlarm = true;
      await this.#storage.setAlarm(nowMs + ALARM_MS);
    }
    await written;
  }

  /** Deletes the state of a bucket that is full again, or looks again after an hour. */
  async alarm(): Promise<void> {
    const nowMs = systemClock.now();
    if (nowMs < this.#fullAtMs) {
      await this.#storage.setAlarm(Math.max(this.#fullAtMs, nowMs + ALARM_MS));
      return;
    }
    this.#kept = undefined;
    this.#hasAlarm = false;
    await this.#storage.deleteAll();
  }
}
