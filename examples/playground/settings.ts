import { count, duration, percent } from './format.ts';

/** A number that is picked from a list of valid values, so that a slider has no invalid position. */
export interface Scale {
  readonly label: string;
  readonly values: readonly number[];
  readonly initial: number;
  readonly format: (value: number) => string;
}

function range(from: number, to: number, step = 1): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
}

/** 1, 1.5, 2, 3, 5, 7, 10 … of a unit. */
function decades(from: number, to: number): number[] {
  const values: number[] = [];
  for (let unit = 10 ** Math.floor(Math.log10(from)); unit <= to; unit *= 10) {
    values.push(...[1, 1.5, 2, 3, 5, 7].map((step) => step * unit));
  }
  return values.filter((value) => value >= from && value <= to);
}

const perSecond = (value: number): string => `${count(value)}/s`;
const doublings = (from: number, to: number): number[] =>
  range(Math.log2(from), Math.log2(to)).map((power) => 2 ** power);
const seconds = (...values: number[]): number[] => values.map((value) => value * 1_000);

export const SCALES = {
  maximumBackoffMs: scale('Maximum backoff', seconds(1, 2, 4, 8, 16, 32, 64, 128), 64_000, duration),
  jitterMs: scale('Jitter', [0, 100, 200, 500, 1_000, 1_500, 2_000, 3_000, 5_000], 1_000, duration),
  baseMs: scale('Base', decades(10, 5_000), 100, duration),
  capMs: scale('Cap', decades(100, 100_000), 10_000, duration),
  delayMs: scale('Delay', [0, ...decades(10, 50_000)], 0, duration),
  factorMs: scale('Factor', decades(100, 10_000), 1_000, duration),
  maximumMs: scale('Maximum', seconds(1, 2, 5, 10, 30, 60, 120, 300, 600), 600_000, duration),
  slotMs: scale('Slot', decades(1, 1_000), 100, duration),
  maxExponent: scale('Largest exponent', range(1, 16), 10, count),
  attemptLimit: scale('Attempt limit', range(1, 20), 16, count),
  maxSleepMs: scale('Maximum sleep', seconds(...doublings(2, 256)), 128_000, duration),
  maxRetries: scale('Maximum retries', range(0, 12), 5, count),
  attemptTimeoutMs: scale('Attempt timeout', decades(100, 30_000), 1_000, duration),
  ratio: scale('Retries per success', range(0, 1, 0.05).map(hundredths), 0.2, percent),
  reserve: scale('Retries in reserve', [0, 1, 2, 3, 5, 10, 20, 50], 3, count),
  clients: scale('Clients', decades(10, 10_000), 1_000, count),
  requestsPerSecond: scale('Requests of all clients', decades(50, 5_000), 500, perSecond),
  load: scale('Load, as a share of capacity', range(0.3, 1, 0.05).map(hundredths), 0.8, percent),
  troubleSeconds: scale('Duration of the trouble', [2, 5, 10, 15, 20, 30, 45, 60], 20, (value) =>
    duration(value * 1_000),
  ),
  refillPerSecond: scale('Rate: tokens that come in', decades(1, 500), 50, perSecond),
  capacity: scale('Capacity: tokens it holds', decades(1, 500).filter(Number.isInteger), 20, count),
  streamPerSecond: scale('Requests arrive at', decades(1, 500), 30, perSecond),
  burst: scale('Burst after 2 s', [0, ...decades(1, 500).filter(Number.isInteger)], 50, count),
} as const satisfies Record<string, Scale>;

function scale(label: string, values: readonly number[], initial: number, format: Scale['format']): Scale {
  return { label, values, initial, format };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Choices with their texts. The first is the default. */
export const CHOICES = {
  rule: [
    ['memorystore', 'Memorystore (the default)'],
    ['exponential', 'Exponential, no jitter'],
    ['fullJitter', 'Full jitter'],
    ['equalJitter', 'Equal jitter'],
    ['decorrelatedJitter', 'Decorrelated jitter'],
    ['constant', 'Constant'],
    ['celery', 'Celery'],
    ['binaryExponential', 'Ethernet'],
    ['connectRetry', 'Connect retry (APUE)'],
  ],
  trouble: [
    ['unavailable', 'Outage: it answers 503'],
    ['refused', 'Outage: it refuses connections'],
    ['silence', 'Outage: it does not answer'],
    ['brown-out', 'Half of its workers fail'],
  ],
  nonConforming: [
    ['delay', 'Delay'],
    ['reject', 'Reject'],
    ['mark', 'Mark'],
  ],
} as const;

export const FLAGS = {
  wholeRange: { label: 'Full jitter', initial: true },
  budget: { label: 'Retry budget', initial: false },
  bucket: { label: 'This bucket is part of the policy', initial: false },
} as const;

/** The largest seed. */
export const MOST_SEED = 9_999;

export type ScaleName = keyof typeof SCALES;
export type ChoiceName = keyof typeof CHOICES;
export type FlagName = keyof typeof FLAGS;

/** All settings of the page. */
export type Settings = { readonly [Name in ScaleName]: number } & {
  readonly [Name in ChoiceName]: (typeof CHOICES)[Name][number][0];
} & { readonly [Name in FlagName]: boolean } & { readonly seed: number };

export const SCALE_NAMES = Object.keys(SCALES) as ScaleName[];
export const CHOICE_NAMES = Object.keys(CHOICES) as ChoiceName[];
export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];

export const INITIAL: Settings = Object.fromEntries<unknown>([
  ...SCALE_NAMES.map((name) => [name, SCALES[name].initial] as const),
  ...CHOICE_NAMES.map((name) => [name, CHOICES[name][0][0]] as const),
  ...FLAG_NAMES.map((name) => [name, FLAGS[name].initial] as const),
  ['seed', 1],
]) as Settings;
