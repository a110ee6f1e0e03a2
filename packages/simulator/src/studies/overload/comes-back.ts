import { finding } from '../../chart/frame.ts';
import { mapChart } from '../../chart/map-chart.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import { simulate } from '../../simulation/simulate.ts';
import type { Study } from '../study.ts';
import { answeredPercent } from './percent.ts';

const LOADS: readonly number[] = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98];
const QUEUES: readonly number[] = [0.25, 0.5, 1, 2, 4, 8];
const SERVICE_MS = 20;
const WORKERS = 10;
const CAPACITY = (1_000 * WORKERS) / SERVICE_MS;
/** Each makes a request in five seconds at full load. */
const CLIENTS = 2_500;
const ENDS_MS = 10_000;
const MINUTE_MS = 60_000;
/** The least share of answers in the last half of the minute after the outage, in percent. */
const ENOUGH = 95;

const attemptTimeoutMs = 1_000;
const POLICIES: Readonly<Record<string, FleetPolicy>> = {
  'No retries': { attemptTimeoutMs, maxRetries: 0 },
  Default: { attemptTimeoutMs },
  'retryBudget()': { attemptTimeoutMs, budget: { retryBudget: {} } },
  'adaptiveThrottle()': { attemptTimeoutMs, throttle: {} },
};

interface RecoveryResult {
  readonly policy: string;
  readonly load: number;
  readonly queueSeconds: number;
  /** Answers for each 100 new requests of the minute after the outage. */
  readonly minuteAfter: number;
  readonly isBack: boolean;
}

function run(policy: string, load: number, queueSeconds: number, seed: number | undefined): RecoveryResult {
  const trace = simulate(
    {
      durationMs: ENDS_MS + MINUTE_MS,
      clients: { count: CLIENTS, requestsPerSecond: load * CAPACITY },
      server: {
        workers: WORKERS,
        serviceMs: SERVICE_MS,
        maxQueue: Math.round(queueSeconds * CAPACITY),
        troubles: [{ type: 'outage', answer: 'silence', fromMs: ENDS_MS - 5_000, untilMs: ENDS_MS }],
      },
      policy: POLICIES[policy],
    },
    { seed },
  );
  return {
    policy,
    load,
    queueSeconds,
    minuteAfter: answeredPercent(trace, ENDS_MS),
    isBack: answeredPercent(trace, ENDS_MS + MINUTE_MS / 2) >= ENOUGH,
  };
}

const NAMES = Object.keys(POLICIES);

function figure(all: readonly RecoveryResult[]): string {
  const down = (name: string): number =>
    all.filter(({ policy, isBack }) => policy === name && !isBack).length;
  const cases = LOADS.length * QUEUES.length;
  return mapChart({
    title: finding(
      down('adaptiveThrottle()') === 0 && down('retryBudget()') < down('Default'),
      `Half a minute after five seconds of silence ${down('Default')} of ${cases} services are not back; with budgets ${down('retryBudget()')}, with throttles all are`,
      'Which services come back after five seconds of silence',
    ),
    note: `Filled: less than 95 % is answered from then on. The number: answered in the minute after the silence, in %. Clients wait one second; there are ${CLIENTS.toLocaleString('en')}.`,
    x: 'Load',
    y: 'Queue',
    columns: LOADS.map((load) => load.toFixed(2).replace(/^0|0$/g, '')),
    rows: QUEUES.map((seconds) => `${seconds}\u00a0s`),
    panels: NAMES.map((name) => ({
      name,
      cells: QUEUES.map((queue) =>
        all
          .filter(({ policy, queueSeconds }) => policy === name && queueSeconds === queue)
          .map(({ minuteAfter, isBack }) => ({ text: minuteAfter.toFixed(0), filled: !isBack })),
      ),
    })),
  });
}

/** Load, length of the queue and policy: whether a service comes back after an outage of five seconds. */
export const comesBack: Study = {
  name: 'comes-back',
  shows: 'which loads and queues come back after 5 s of silence',
  figures: ['comes-back'],
  run({ seed, onProgress } = {}) {
    const cases = NAMES.flatMap((policy) =>
      QUEUES.flatMap((queue) => LOADS.map((load) => [policy, load, queue] as const)),
    );
    const all = cases.map(([policy, load, queue], at) => {
      const found = run(policy, load, queue, seed);
      onProgress?.((at + 1) / cases.length);
      return found;
    });
    const rows = NAMES.flatMap((name) =>
      QUEUES.map((queue) => [
        name,
        `${queue} s`,
        ...all
          .filter(({ policy, queueSeconds }) => policy === name && queueSeconds === queue)
          .map(({ minuteAfter, isBack }) => `${minuteAfter.toFixed(0)} %${isBack ? '' : ' down'}`),
      ]),
    );
    return {
      table: {
        columns: ['policy', 'queue', ...LOADS.map((load) => `load ${load}`)],
        rows,
        legend: 'answered in the minute after the silence · down: less than 95 % of its second half',
      },
      figures: [{ name: 'comes-back', svg: figure(all) }],
      csv: {
        columns: ['policy', 'load', 'queue_seconds', 'minute_after', 'back'],
        rows: all.map((one) => [
          one.policy,
          one.load,
          one.queueSeconds,
          Number(one.minuteAfter.toFixed(4)),
          one.isBack ? 1 : 0,
        ]),
      },
      data: all,
    };
  },
};
