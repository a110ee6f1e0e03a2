import { hedgeRule } from '@ebb/hedge/internal';

/** Decides when a request is hedged, in a simulated world. */
export interface Rule {
  readonly maxHedges: number;
  /** A request is sent. Returns how long it may take before it is hedged, in milliseconds. */
  sent(): number;
  /** The first try of a request has outlasted the delay. */
  outlasted(): void;
  /** True if a hedge may be sent now. */
  take(): boolean;
  /** A request has its answer. */
  returned(tookMs: number): void;
  /** A first try has its answer before its delay. */
  inTime(tookMs: number): void;
  /** A request is over; one of its `hedges` may have won. */
  over(hedges: number, isWon: boolean): void;
}

const NOTHING = (): void => undefined;

function none(): Rule {
  return { ...fixedDelay(Number.POSITIVE_INFINITY), maxHedges: 0 };
}

function fixedDelay(delayMs: number): Rule {
  return {
    maxHedges: 1,
    sent: () => delayMs,
    outlasted: NOTHING,
    take: () => true,
    returned: NOTHING,
    inTime: NOTHING,
    over: NOTHING,
  };
}

/** How many answers a quantile is computed from, and how often. */
const WINDOW = 1_000;
const EVERY = 20;

/**
 * As failsafe-go hedges with a quantile of what was returned, and a budget: at most a fifth of what is in flight, or three. Written
 * anew.
 */
function failsafe(quantile: number): Rule {
  const window: number[] = [];
  let at = 0;
  let delayMs = Number.POSITIVE_INFINITY;
  let inFlight = 0;
  let hedges = 0;
  return {
    ...fixedDelay(0),
    sent() {
      inFlight += 1;
      return delayMs;
    },
    take() {
      if (hedges + 1 > Math.max(3, (inFlight + hedges) / 5)) return false;
      hedges += 1;
      return true;
    },
    returned(tookMs) {
      window[at % WINDOW] = tookMs;
      at += 1;
      if (at >= EVERY && at % EVERY === 0) {
        const sorted = Float64Array.from(window).sort();
        delayMs = sorted[Math.floor(sorted.length * quantile)] as number;
      }
    },
    over(sent) {
      inFlight -= 1;
      hedges -= sent;
    },
  };
}

/** The rule of ebb itself. @param quantile one that does not rise as hedges are spent */
function ebb(quantile?: number): Rule {
  const rule: hedgeRule.HedgeRule = { quantile: quantile ?? 0.95, minDelayMs: 1, share: 0.015 };
  const state = hedgeRule.newHedgeState(rule);
  const allowance = quantile === undefined ? state : { ...state };
  // A full balance of hedges keeps the quantile constant.
  if (allowance !== state) hedgeRule.pay(state, Number.POSITIVE_INFINITY);
  return {
    maxHedges: 1,
    sent() {
      hedgeRule.pay(allowance, rule.share);
      return state.delayMs;
    },
    outlasted: () => hedgeRule.learn(state, rule, true),
    take() {
      if (allowance.tokens < 1) return false;
      allowance.tokens -= 1;
      return true;
    },
    returned: NOTHING,
    inTime(tookMs) {
      if (hedgeRule.isNew(state, rule)) hedgeRule.measure(state, rule, tookMs);
      else hedgeRule.learn(state, rule, false);
    },
    over(_, isWon) {
      if (isWon) hedgeRule.pay(allowance, 1);
    },
  };
}

/** The rules that are compared, by their names in the tables. */
export const RULES: Readonly<Record<string, () => Rule>> = {
  none,
  'after 10 ms': () => fixedDelay(10),
  'failsafe-go, quantile 0.95': () => failsafe(0.95),
  'quantile 0.95': () => ebb(0.95),
  'quantile 0.98': () => ebb(0.98),
  'quantile 0.99': () => ebb(0.99),
  ebb: () => ebb(),
};

/** The mean of what the seeds give. */
export function meanOf<R extends Readonly<Record<string, number>>>(run: (seed: number) => R): R {
  const seeds = [1, 2, 3, 4, 5, 6];
  const results = seeds.map(run);
  const names = Object.keys(results[0] ?? {});
  const sum = (name: string): number => results.reduce((total, one) => total + (one[name] ?? 0), 0);
  return Object.fromEntries(names.map((name) => [name, sum(name) / seeds.length])) as R;
}
