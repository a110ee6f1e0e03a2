import { seededRandom, type VirtualClock } from '@ebb/core/testing';
import type { Rule } from './rules.ts';

const MEAN_MS = 5;
const DEVIATION_MS = 2;
/** Tries that take longer than the others. */
export interface Stragglers {
  readonly share: number;
  /** So many times as long, */
  readonly factor?: number;
  /** or so long, in milliseconds. */
  readonly hangMs?: number;
}

/** Those of bhope/hedge's benchmark: one try in twenty takes ten times as long. */
export const BENCHMARK: Stragglers = { share: 0.05, factor: 10 };

/** The service of bhope/hedge's benchmark: log-normal. */
function serviceTimes(seed: number, { share, factor = 1, hangMs }: Stragglers): () => number {
  const random = seededRandom(seed);
  const sigma = Math.sqrt(Math.log(1 + (DEVIATION_MS / MEAN_MS) ** 2));
  const mu = Math.log(MEAN_MS) - sigma ** 2 / 2;
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const ms = Math.exp(mu + sigma * normal);
    return random() < share ? (hangMs ?? ms * factor) : ms;
  };
}

/**
 * The times of tries. Those of hedges come from a source of their own: the first tries of all rules then take the same times, and
 * the rules can be compared.
 */
export function tryTimes(seed: number, stragglers: Stragglers): (isHedge: boolean) => number {
  const first = serviceTimes(seed, stragglers);
  const hedge = serviceTimes(seed + 1_000, stragglers);
  return (isHedge) => (isHedge ? hedge() : first());
}

/** What a try takes on average in the benchmark, in milliseconds. */
export const MEAN_SERVICE_MS: number = MEAN_MS * (1 + BENCHMARK.share * ((BENCHMARK.factor ?? 1) - 1));

/** Sends one request, hedged by the rule. `send` calls back when the try has its answer; a loser's answer counts for nothing. */
export function request(
  clock: VirtualClock,
  rule: Rule,
  send: (answered: () => void, isHedge: boolean) => void,
  done: (tookMs: number, hedges: number) => void,
): void {
  const sentMs = clock.now();
  let hedges = 0;
  let isOver = false;
  let hasOutlasted = false;
  const answered = (isHedge: boolean) => () => {
    if (isOver) return;
    isOver = true;
    const tookMs = clock.now() - sentMs;
    if (!hasOutlasted) rule.inTime(tookMs);
    rule.returned(tookMs);
    rule.over(hedges, isHedge);
    done(tookMs, hedges);
  };
  const delayMs = rule.sent();
  const hedge = (): void => {
    if (isOver) return;
    if (!hasOutlasted) rule.outlasted();
    hasOutlasted = true;
    if (!rule.take()) return;
    hedges += 1;
    send(answered(true), true);
    if (hedges < rule.maxHedges) clock.schedule(hedge, delayMs);
  };
  send(answered(false), false);
  if (rule.maxHedges > 0 && delayMs < Number.POSITIVE_INFINITY) clock.schedule(hedge, delayMs);
}

/** The value below which a share of sorted numbers lies. */
export function quantileOf(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
