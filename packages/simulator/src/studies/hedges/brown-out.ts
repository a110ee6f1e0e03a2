import { seededRandom } from '@ebb/core/testing';
import type { Rule } from './rules.ts';
import { BENCHMARK, Calls, MEAN_SERVICE_MS, quantileOf, request, tryTimes } from './world.ts';

const WORKERS = 10;
const CALM_MS = 20_000;
const TROUBLE_MS = 10_000;

/**
 * Ten workers with one queue, at half of what they can do, and then for ten seconds a tenth above it. A worker does not notice that a
 * try was aborted. Counts what is sent in these ten seconds.
 */
export function brownOut(rule: Rule, seed: number): { p99: number; extra: number } {
  const calls = new Calls();
  const timeOf = tryTimes(seed, BENCHMARK);
  const random = seededRandom(seed + 1);
  const queue: { readonly ms: number; readonly answered: () => void }[] = [];
  let first = 0;
  let busy = 0;
  const work = (): void => {
    const next = queue[first];
    if (next === undefined || busy === WORKERS) return;
    first += 1;
    busy += 1;
    calls.plan(() => {
      busy -= 1;
      next.answered();
      work();
    }, next.ms);
  };
  const send = (answered: () => void, isHedge: boolean): void => {
    queue.push({ ms: timeOf(isHedge), answered });
    work();
  };
  const took: number[] = [];
  let extra = 0;
  const arrive = (): void => {
    const isTrouble = calls.nowMs >= CALM_MS;
    request(calls, rule, send, (ms, hedges) => {
      if (!isTrouble) return;
      took.push(ms);
      extra += hedges;
    });
    const load = isTrouble ? 1.1 : 0.5;
    const nextMs = (-Math.log(1 - random()) * MEAN_SERVICE_MS) / (WORKERS * load);
    if (calls.nowMs + nextMs < CALM_MS + TROUBLE_MS) calls.plan(arrive, nextMs);
  };
  arrive();
  calls.run();
  took.sort((one, other) => one - other);
  return { p99: quantileOf(took, 0.99), extra: extra / took.length };
}
