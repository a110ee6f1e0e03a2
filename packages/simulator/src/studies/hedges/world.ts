import { seededRandom } from '@ebb/core/testing';
import { EventHeap } from '../../engine/event-heap.ts';
import type { Rule } from './rules.ts';

const MEAN_MS = 5;
const DEVIATION_MS = 2;
/** Tries that take longer than the others. */
export interface Stragglers {
  readonly share: number;
  /** The factor by which these tries take longer, */
  readonly factor?: number;
  /** or their time in place of a factor, in milliseconds. */
  readonly hangMs?: number;
}

/** The stragglers of bhope/hedge's benchmark: one try in twenty takes ten times as long. */
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

/** The mean time of a try in the benchmark, in milliseconds. */
export const MEAN_SERVICE_MS: number = MEAN_MS * (1 + BENCHMARK.share * ((BENCHMARK.factor ?? 1) - 1));

/** Calls in order of time. A virtual clock takes twice as long, because its calls can be cancelled. */
export class Calls {
  nowMs = 0;
  readonly #heap = new EventHeap();
  readonly #calls: (() => void)[] = [];
  readonly #free: number[] = [];
  #planned = 0;

  plan(call: () => void, delayMs: number): void {
    const at = this.#free.pop() ?? this.#calls.length;
    this.#calls[at] = call;
    this.#planned += 1;
    this.#heap.push(this.nowMs + delayMs, this.#planned, at, 0);
  }

  /** Makes all calls, also those that are planned meanwhile. */
  run(): void {
    while (this.#heap.size > 0) {
      this.nowMs = this.#heap.nextAtMs;
      this.#heap.pop();
      this.#free.push(this.#heap.event);
      this.#calls[this.#heap.event]?.();
    }
  }
}

/** Sends one request, hedged by the rule. `send` calls back when the try has its answer; a loser's answer counts for nothing. */
export function request(
  calls: Calls,
  rule: Rule,
  send: (answered: () => void, isHedge: boolean) => void,
  done: (tookMs: number, hedges: number) => void,
): void {
  const sentMs = calls.nowMs;
  let hedges = 0;
  let isOver = false;
  let hasOutlasted = false;
  const answered = (isHedge: boolean) => () => {
    if (isOver) return;
    isOver = true;
    const tookMs = calls.nowMs - sentMs;
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
    if (hedges < rule.maxHedges) calls.plan(hedge, delayMs);
  };
  send(answered(false), false);
  if (rule.maxHedges > 0 && delayMs < Number.POSITIVE_INFINITY) calls.plan(hedge, delayMs);
}

/** The value below which a share of sorted numbers lies. */
export function quantileOf(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
