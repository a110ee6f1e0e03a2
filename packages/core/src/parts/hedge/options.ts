import { prose } from '#prose';
import { type Check, callable, countingNumber, notNegative, number, positive } from '../../base/check.ts';
import { must } from '../../base/option-error.ts';
import { type Complete, type OptionTable, readOptions } from '../../base/options.ts';
import { originOf } from '../../http/origin.ts';
import type { RequestTraits } from '../../http/outcome.ts';
import { methodsOr } from '../../loop/option-table.ts';
import type { PolicyOptions } from '../../loop/options.ts';
import { createPolicy, type Policy } from '../../loop/policy.ts';
import { mustTrust } from '../../loop/trust.ts';

/** Options of `hedged` of `@ebb/fetch`, and of `hedge` of `@ebb/undici`. */
export interface HedgeOptions {
  /**
   * The policy of the client above. A hedge takes from its bucket, its concurrency limit and its budget, and its `classify` says
   * which responses are failures.
   */
  readonly policy: Policy | PolicyOptions;
  /**
   * The share of the first tries that settle before a hedge is sent: with 0.95 one request in twenty is hedged, if it can be paid
   * for. Above 0 and below 1. The delay is learned from it for each key.
   * @default 0.95
   */
  readonly quantile?: number | undefined;
  /**
   * A fixed delay, in milliseconds, in place of one that is learned.
   * @default none
   */
  readonly delayMs?: number | undefined;
  /**
   * The shortest delay that is learned, in milliseconds.
   * @default 1
   */
  readonly minDelayMs?: number | undefined;
  /**
   * The most hedges of one try, each a delay after the one before.
   * @default 1
   */
  readonly maxHedges?: number | undefined;
  /**
   * What each request pays for a hedge: with 0.02 two in a hundred may be hedged in vain. A hedge that wins costs nothing. Above 0.
   * @default 0.02
   */
  readonly share?: number | undefined;
  /**
   * The methods that are hedged: a list, or `'all'`. A hedged request is carried out twice at the same time, and a server may answer
   * 409 to the second of two with one `Idempotency-Key`.
   * @default ['GET', 'HEAD', 'OPTIONS', 'QUERY']
   */
  readonly methods?: 'all' | readonly string[] | undefined;
  /**
   * The key of a request. Requests with the same key share a delay, and what they have paid.
   * @default the origin of its URL
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
  /**
   * Where a hedge is sent in place of the origin of the request, such as another region. It gets the headers of the request,
   * credentials included; `beforeAttempt` is asked again with its URL. A policy with that hook sends it to its `trustedOrigins` alone.
   * @default the same origin
   */
  readonly to?: ((request: RequestTraits) => string) | undefined;
}

/** The options that have no default. */
type Unset = 'delayMs' | 'to';

/** Validated options with all defaults applied. */
export type HedgeSetup = Complete<HedgeOptions, Unset> & { readonly policy: Policy };

const checkPolicy: Check = (name, value) => must(name, prose('a policy'), value, Object(value) === value);

const checkQuantile: Check = number(prose('a number > 0 and < 1'), (value) => value > 0 && value < 1);

const HEDGE_OPTIONS: OptionTable<HedgeOptions, Unset> = {
  policy: { check: checkPolicy, required: true },
  quantile: { check: checkQuantile, default: 0.95 },
  delayMs: { check: notNegative },
  minDelayMs: { check: notNegative, default: 1 },
  maxHedges: { check: countingNumber, default: 1 },
  share: { check: positive, default: 0.02 },
  methods: {
    check: methodsOr(prose("'all', or a list of methods"), 'all'),
    default: ['GET', 'HEAD', 'OPTIONS', 'QUERY'],
  },
  keyOf: { check: callable, default: originOf },
  to: { check: callable },
};

/** @throws TypeError, RangeError for a wrong option */
export function readHedgeOptions(caller: string, options: HedgeOptions): HedgeSetup {
  const setup = readOptions<HedgeOptions, Unset>(caller, options, HEDGE_OPTIONS);
  const policy = createPolicy(setup.policy);
  if (setup.to !== undefined) mustTrust(caller, policy);
  return { ...setup, policy };
}
