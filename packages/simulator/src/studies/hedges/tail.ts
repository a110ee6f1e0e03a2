import { virtualClock } from '@ebb/core/testing';
import type { Rule } from './rules.ts';
import { quantileOf, request, tryTimes } from './world.ts';

const REQUESTS = 50_000;
const AT_ONCE = 20;

/** bhope/hedge's benchmark: 50,000 requests, 20 at a time. Each try takes its own time. */
export function tail(rule: Rule, seed: number): { p50: number; p99: number; p999: number; extra: number } {
  const clock = virtualClock({ startMs: 0 });
  const timeOf = tryTimes(seed);
  const took: number[] = [];
  let sent = 0;
  let extra = 0;
  const next = (): void => {
    if (sent === REQUESTS) return;
    sent += 1;
    const send = (answered: () => void, isHedge: boolean): void =>
      void clock.schedule(answered, timeOf(isHedge));
    request(clock, rule, send, (ms, hedges) => {
      took.push(ms);
      extra += hedges;
      next();
    });
  };
  for (let worker = 0; worker < AT_ONCE; worker += 1) next();
  clock.tick(1e9);
  took.sort((one, other) => one - other);
  return {
    p50: quantileOf(took, 0.5),
    p99: quantileOf(took, 0.99),
    p999: quantileOf(took, 0.999),
    extra: extra / REQUESTS,
  };
}
