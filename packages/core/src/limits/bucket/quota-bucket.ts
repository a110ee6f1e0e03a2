import { devText } from '#dev-text';
import { worker } from '#worker';
import { capacity, nameOf, notNegative, oneOf, refillRate, wrongType } from '../../base/check.ts';
import { type Complete, mustHaveFields, type OptionTable, readOptions } from '../../base/options.ts';
import { FIELDS_OPTION } from '../../http/server-feedback.ts';
import type { Costs, Grant } from '../../policy/contracts.ts';
import type { BroughtLimit } from '../../policy/limit.ts';
import { inUnit } from '../../queue/queue.ts';
import type { BucketStats, ObservableBucket } from '../limit.ts';
import { completionLimit } from './bucket-limit.ts';
import {
  checkedTogether,
  checkRate,
  WAITING_BUCKET_OPTIONS,
  type WaitingBucketOptions,
  type WaitingBucketSetup,
} from './options.ts';
import { QuotaTokens, type UnitSetup } from './quota-tokens.ts';
import { sharedSetup } from './shared-setup.ts';
import { NamedUnits } from './units.ts';
import { WaitingBucket } from './waiting-bucket.ts';

/** A limit of a {@link quotaBucket}. */
export interface QuotaLimit {
  /** Tokens per second, from 1e-9 to 1e9. */
  readonly refillPerSecond: number;
  /** The most tokens that can accumulate, from 1e-9 to 1e9. */
  readonly capacity: number;
  /**
   * Tokens at the start, at most the capacity.
   * @default capacity
   */
  readonly initialTokens?: number | undefined;
  /**
   * `'completion'` charges the tokens of a request when it has ended, as a server does that charges what it has produced: until then
   * they are held back. Nothing has to be given back, so nothing is lost of requests that cost less than they took.
   *
   * In browsers and workers `createFetch` does not see the end of a long body by itself: add `plugins: [bodyEnds]` to the policy, unless it has
   * `actualCost` or `concurrency`. Without any of them its tokens are charged with the response in a browser, and in a worker when
   * the response is garbage-collected, or after ten minutes. In Cloudflare Workers the bucket belongs to the request that makes
   * it: its use in another request is a TypeError.
   * @default 'grant'
   */
  readonly chargeOn?: 'grant' | 'completion' | undefined;
}

/** Options of {@link quotaBucket}. */
export interface QuotaBucketOptions extends WaitingBucketOptions {
  /** The limit of each unit, by any name. Several limits of one unit are two units, such as `minute` and `day`. */
  readonly limits: Readonly<Record<string, QuotaLimit>>;
}

/** A bucket of several units in the memory of this process. */
export interface QuotaBucket extends ObservableBucket {
  /**
   * Changes the rate of a unit, and its capacity if one is given, as {@link MemoryBucket.setRate} does.
   *
   * @throws TypeError, RangeError for an unknown unit, and for numbers that {@link QuotaLimit} does not accept
   */
  setRate(unit: string, refillPerSecond: number, capacity?: number): void;
  /**
   * The time until this cost can be taken, in milliseconds, if no one else takes any; 0 for now.
   *
   * @throws TypeError, RangeError for an unknown unit, and for a number that is negative or not finite
   */
  waitMs(cost?: number | Costs): number;
  /** See {@link BucketMethods.atMost}. */
  atMost(left: number | Costs, answered?: Grant): void;
}

const LIMIT_OPTIONS: OptionTable<QuotaLimit> = {
  refillPerSecond: { check: refillRate, required: true },
  capacity: { check: capacity, required: true },
  initialTokens: { check: notNegative, defaultOf: (limit) => limit.capacity },
  chargeOn: { check: oneOf('grant', 'completion'), default: 'grant' },
};

const OPTIONS: OptionTable<QuotaBucketOptions> = {
  limits: {
    check: (name, limits) => {
      mustHaveFields(name, devText('an object with a limit for each unit'), limits);
      if (Object.keys(limits as object).length === 0)
        throw wrongType(name, devText('a limit or more'), limits);
    },
    required: true,
  },
  ...WAITING_BUCKET_OPTIONS,
  feedback: FIELDS_OPTION,
};

class Quotas extends WaitingBucket<QuotaTokens> implements QuotaBucket {
  declare readonly units: NamedUnits;
  readonly chargesOnCompletion: boolean;

  constructor(setup: WaitingBucketSetup, names: readonly string[], limits: readonly UnitSetup[]) {
    const source = new QuotaTokens(names, limits, sharedSetup(setup).time.now());
    super(setup, source, new NamedUnits(names, source.limits));
    this.chargesOnCompletion = limits.some(({ chargeOn }) => chargeOn === 'completion');
    // A request that ends before its body settles nothing.
    if (worker && this.chargesOnCompletion) worker.bind(this, 'quotaBucket: chargeOn');
  }

  protected override get pausedUnit(): number {
    return this.source.fastest;
  }

  override get limit(): BroughtLimit {
    return this.chargesOnCompletion ? completionLimit(this) : super.limit;
  }

  setRate(unit: string, refillPerSecond: number, capacity?: number): void {
    // Names the unit if it is not known.
    const index = this.units.read('setRate: unit', { [unit]: 1 }, 0).indexOf(1);
    const limit = this.source.limitAt(index);
    const rate = { refillPerSecond, capacity: capacity ?? limit.capacity };
    checkRate('setRate', rate);
    this.source.setRate(index, rate, this.time.now());
    this.capacityChanged();
  }

  waitMs(cost: number | Costs = 1): number {
    return this.source.waitMs(this.units.read('waitMs: cost', cost, 0), this.time.now());
  }

  override stats(): BucketStats {
    const stats = super.stats();
    const { limits } = this.source;
    const nowMs = this.time.now();
    const ofUnit = (unit: number) => {
      const limit = this.source.limitAt(unit);
      const { refillPerSecond, capacity } = limit;
      return { tokens: limit.tokens(nowMs), capacity, refillPerSecond };
    };
    const all = limits.map((_, unit) => ofUnit(unit));
    const shares = all.map(({ tokens, capacity }) => tokens / capacity);
    const least = shares.indexOf(Math.min(...shares));
    return {
      ...stats,
      ...ofUnit(least),
      waitingCost: inUnit(stats.waitingCost, least),
      units: this.units.byName(ofUnit),
    };
  }
}

/**
 * A token bucket of several units, such as requests, input tokens and output tokens, or requests per minute and per day. A
 * request takes its tokens from all units or from none, first come, first served: one queue, one timer. In any window of time
 * at most `capacity + refillPerSecond · window` of each unit are granted.
 *
 * The cost of a request comes from `acquire({ cost })`, or from `cost` of the policy: an object with a number for each unit,
 * where a unit that is not named costs 0; or a number, which is the cost in each unit.
 *
 * A pause of the bucket empties the unit that fills fastest. The others keep what they have.
 *
 * @example
 * ```ts
 * import { quotaBucket } from '@ebb/core';
 *
 * // 50 requests and 8,000 tokens of output a minute. What a model writes is charged when it has been written.
 * const bucket = quotaBucket({
 *   limits: {
 *     requests: { refillPerSecond: 50 / 60, capacity: 50 },
 *     outputTokens: { refillPerSecond: 8_000 / 60, capacity: 8_000, chargeOn: 'completion' },
 *   },
 * });
 * const grant = await bucket.acquire({ cost: { requests: 1, outputTokens: 700 } });
 * grant.settle({ outputTokens: 180 });
 * console.log(bucket.stats().units?.outputTokens?.tokens);
 * ```
 *
 * @throws TypeError, RangeError for a wrong option
 */
export function quotaBucket(options: QuotaBucketOptions): QuotaBucket {
  const { limits, ...setup } = readOptions('quotaBucket', options, OPTIONS);
  const names = Object.keys(limits);
  const read = names.map((name) => {
    const caller = nameOf('quotaBucket: limits', name);
    const limit = checkedTogether(caller, readOptions(caller, limits[name] as QuotaLimit, LIMIT_OPTIONS));
    return { ...limit, maxPauseMs: setup.maxPauseMs as number };
  });
  return new Quotas(setup as Complete<WaitingBucketOptions>, names, read);
}
