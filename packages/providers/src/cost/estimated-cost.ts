import type { Costs, RequestTraits } from '@ebb/core';
import {
  type CostLearner,
  callable,
  checkKey,
  devText,
  type OptionTable,
  readOptions,
  share,
  wrongType,
} from '@ebb/core/internal';

import { checkCosts } from './tally.ts';

/** With more keys the one that was not asked for longest is forgotten. */
const MOST_KEYS = 1_000;

/** The most requests that are counted before the first answer: 100 answers outweigh the short ones, which come first. */
const MOST_FIRST = 100;

/** Options of {@link estimatedCost}. */
export interface EstimatedCostOptions {
  /**
   * The part of the answers that cost no more than what was reserved: above 0, and at most 1. More reserves more than is used. Less
   * leaves a debt more often, which a bucket pays back before it grants again.
   * @default 0.75
   */
  readonly quantile?: number | undefined;
  /**
   * The requests that are alike, by a text such as the model. The 1,000 keys that were used last are kept.
   * @default one key for all
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
  /**
   * The share of the bound that is reserved before there is an answer: above 0, and at most 1. Also the least after that, until as
   * many answers have come as there were requests before the first one, 100 at most: short answers come first. With less than 1 a
   * burst before the first answer may use more than the quota.
   * @default 1
   */
  readonly first?: number | undefined;
}

/** A `cost` that learns from answers, as {@link estimatedCost} returns it. */
export interface EstimatedCost extends CostLearner {
  (request: RequestTraits): number | Costs;
}

/** How the options are read. */
export const ESTIMATED_COST_OPTIONS: OptionTable<EstimatedCostOptions> = {
  quantile: { check: share, default: 0.75 },
  keyOf: { check: callable, default: () => '' },
  first: { check: share, default: 1 },
};

/** The number of last answers that are remembered. */
const MOST_ANSWERS = 100;

/** The costs of the last answers as shares of their most, from 0 to 1. */
class Shares {
  /** In the order in which they came. */
  readonly #last: number[] = [];
  /** The same in ascending order, once they are asked for. */
  #sorted: readonly number[] | undefined;

  add(share: number): void {
    if (this.#last.push(share) > MOST_ANSWERS) this.#last.shift();
    this.#sorted = undefined;
  }

  /** The least share that so large a part of the answers do not exceed; `undefined` without answers. */
  quantile(part: number): number | undefined {
    this.#sorted ??= [...this.#last].sort((one, other) => one - other);
    const rank = Math.ceil(part * this.#sorted.length);
    return this.#sorted[Math.max(0, rank - 1)];
  }
}

/** The most that a request can cost, and the costs of those like it. */
interface Bound {
  readonly most: number | Costs;
  readonly known: KnownCosts;
}

/** The costs of the answers of one key, by unit; `''` is the unit of a bucket of one unit. */
class KnownCosts {
  answers = 0;
  /** The requests before the first answer, as far as they count. */
  #asked = 0;
  readonly shares = new Map<string, Shares>();

  ask(): void {
    if (this.answers === 0 && this.#asked < MOST_FIRST) this.#asked += 1;
  }

  /** True while short answers are overrepresented: when requests begin together, the short answers come first. */
  get isOfShortOnes(): boolean {
    return this.answers < this.#asked;
  }

  learn(unit: string, actual: number, most: number): void {
    if (!(most > 0)) return;
    const shares = this.shares.get(unit) ?? new Shares();
    this.shares.set(unit, shares);
    shares.add(Math.min(1, actual / most));
  }
}

/**
 * Reserves for a request the cost of earlier requests like it, and not its highest possible cost. For the `cost` of a policy with an
 * `actualCost`, and for servers that charge the work done. A server that reserves the bound itself answers with a 429 if less is reserved
 * here.
 *
 * For each key and unit it takes the quantile of actual ÷ bound over the last 100 successful answers, times the bound of the
 * request, in whole tokens and never above the bound. A unit that answers do not name stays at its bound.
 *
 * @param bound returns the most that a request can cost; a number for a bucket of one unit
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy, tokenBucket } from '@ebb/core';
 * import { costFromResponse, estimatedCost } from '@ebb/providers';
 *
 * interface Body {
 *   readonly max_tokens: number;
 * }
 * interface Answer {
 *   readonly usage?: { readonly output_tokens: number };
 * }
 *
 * const policy = createPolicy({
 *   bucket: tokenBucket({ refillPerSecond: 8_000 / 60, capacity: 8_000 }),
 *   cost: estimatedCost(({ body }) => (JSON.parse(String(body)) as Body).max_tokens),
 *   actualCost: costFromResponse(async (response) => ((await response.json()) as Answer | undefined)?.usage?.output_tokens),
 * });
 * ```
 */
export function estimatedCost(
  bound: (request: RequestTraits) => number | Costs,
  options: EstimatedCostOptions = {},
): EstimatedCost {
  if (typeof bound !== 'function') throw wrongType('estimatedCost: bound', devText('a function'), bound);
  const { quantile, keyOf, first } = readOptions('estimatedCost', options, ESTIMATED_COST_OPTIONS);
  const keys = new Map<string, KnownCosts>();
  /** A request asks again after each wait. */
  const bounds = new WeakMap<object, Bound>();

  const knownOf = (key: string): KnownCosts => {
    const known = keys.get(key) ?? new KnownCosts();
    // To the end, which is the newest.
    keys.delete(key);
    keys.set(key, known);
    const [oldest] = keys.keys();
    if (keys.size > MOST_KEYS) keys.delete(oldest as string);
    return known;
  };
  const boundOf = (request: RequestTraits): Bound => {
    let found = bounds.get(request);
    if (found === undefined) {
      const most = bound(request);
      checkCosts('its result', most);
      const key = keyOf(request);
      checkKey('keyOf: its result', key);
      found = { most, known: knownOf(key) };
      found.known.ask();
      bounds.set(request, found);
    }
    return found;
  };
  const estimate = (known: KnownCosts, unit: string, most: number): number => {
    const learned = known.shares.get(unit)?.quantile(quantile) ?? 1;
    const share = known.answers === 0 ? first : known.isOfShortOnes ? Math.max(first, learned) : learned;
    return Math.min(most, Math.max(1, Math.ceil(share * most)));
  };

  const cost = (request: RequestTraits): number | Costs => {
    const { most, known } = boundOf(request);
    if (typeof most === 'number') return estimate(known, '', most);
    return Object.fromEntries(
      Object.entries(most).map(([unit, units]) => [unit, estimate(known, unit, units)]),
    );
  };
  const learnerFor = (request: RequestTraits) => {
    const { most, known } = boundOf(request);
    return (actual: number | Costs): void => {
      known.answers += 1;
      for (const [unit, units] of Object.entries(typeof most === 'number' ? { '': most } : most)) {
        const used = typeof actual === 'number' ? actual : new Map(Object.entries(actual)).get(unit);
        if (used !== undefined) known.learn(unit, used, units);
      }
    };
  };
  return Object.assign(cost, { learnerFor });
}
