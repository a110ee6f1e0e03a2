import type { Rule } from './rules.ts';
import { BENCHMARK, Calls, quantileOf, request, type Stragglers, tryTimes } from './world.ts';

const REQUESTS = 50_000;
const AT_ONCE = 20;

/** The worlds of the tables, by their names. */
export const TAILS: Readonly<Record<string, Stragglers>> = {
  '0.1 % slow': { share: 0.001, factor: 10 },
  '1 % slow': { share: 0.01, factor: 10 },
  '5 % slow': BENCHMARK,
  '1 % hang': { share: 0.01, hangMs: 5_000 },
};

/** The quantiles of the time of a request, in milliseconds, and the hedges for each request. */
export interface Tail {
  readonly [name: string]: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly extra: number;
}

/** bhope/hedge's benchmark: 50,000 requests, 20 at a time. Each try takes its own time. */
export function tail(rule: Rule, seed: number, stragglers: Stragglers = BENCHMARK): Tail {
  const calls = new Calls();
  const timeOf = tryTimes(seed, stragglers);
  const took: number[] = [];
  let sent = 0;
  let extra = 0;
  const next = (): void => {
    if (sent === REQUESTS) return;
    sent += 1;
    const send = (answered: () => void, isHedge: boolean): void => calls.plan(answered, timeOf(isHedge));
    request(calls, rule, send, (ms, hedges) => {
      took.push(ms);
      extra += hedges;
      next();
    });
  };
  for (let worker = 0; worker < AT_ONCE; worker += 1) next();
  calls.run();
  took.sort((one, other) => one - other);
  return {
    p50: quantileOf(took, 0.5),
    p99: quantileOf(took, 0.99),
    p999: quantileOf(took, 0.999),
    extra: extra / REQUESTS,
  };
}
