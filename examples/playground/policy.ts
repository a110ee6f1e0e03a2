import {
  type BackoffStrategy,
  binaryExponential,
  celery,
  connectRetry,
  constant,
  decorrelatedJitter,
  equalJitter,
  exponential,
  fullJitter,
  memorystore,
  type PolicyOptions,
} from '@ebb/core';
import type { FleetPolicy, NamedBackoff } from '@ebb/simulator';
import { literal } from './format.ts';
import type { FlagName, ScaleName, Settings } from './settings.ts';

/** A rule: its function, and for each option of the function the setting with its value. */
interface Rule {
  readonly make: (options: never) => BackoffStrategy;
  readonly options: { readonly [option: string]: ScaleName | FlagName };
  readonly formula: string;
  readonly source: string;
}

const AWS = 'Marc Brooker, “Exponential Backoff And Jitter”, AWS, 2015';
const curve = { baseMs: 'baseMs', capMs: 'capMs' } as const;

/** The rules of @ebb/core. In the formulas n is the retry, counted from 0. */
export const RULES: Readonly<Record<Settings['rule'], Rule>> = {
  memorystore: {
    make: memorystore,
    options: { maximumBackoffMs: 'maximumBackoffMs', jitterMs: 'jitterMs' },
    formula: 'min(2ⁿ s + random up to the jitter, maximum)',
    source: 'Google, Memorystore for Valkey',
  },
  exponential: { make: exponential, options: curve, formula: 'min(cap, base · 2ⁿ)', source: AWS },
  fullJitter: {
    make: fullJitter,
    options: curve,
    formula: 'random between 0 and min(cap, base · 2ⁿ)',
    source: AWS,
  },
  equalJitter: {
    make: equalJitter,
    options: curve,
    formula: 'half of min(cap, base · 2ⁿ), plus random up to the other half',
    source: AWS,
  },
  decorrelatedJitter: {
    make: decorrelatedJitter,
    options: curve,
    formula: 'min(cap, random between base and 3 × the previous wait)',
    source: AWS,
  },
  constant: {
    make: constant,
    options: { delayMs: 'delayMs' },
    formula: 'always the same; 0 is no backoff',
    source: AWS,
  },
  celery: {
    make: celery,
    options: { factorMs: 'factorMs', maximumMs: 'maximumMs', fullJitter: 'wholeRange' },
    formula: 'factor · 2ⁿ, or random up to it; at most the maximum',
    source: 'Celery, retry_backoff',
  },
  binaryExponential: {
    make: binaryExponential,
    options: { slotMs: 'slotMs', maxExponent: 'maxExponent', attemptLimit: 'attemptLimit' },
    formula: '0 … 2ⁿ⁺¹ − 1 slots at random; gives up at the limit',
    source: 'IEEE 802.3',
  },
  connectRetry: {
    make: connectRetry,
    options: { maxSleepMs: 'maxSleepMs' },
    formula: '1, 2, 4 … s up to half of the maximum; then gives up',
    source: 'Stevens and Rago, APUE, §16.4',
  },
};

function given(settings: Settings): Record<string, number | boolean> {
  const { options } = RULES[settings.rule];
  return Object.fromEntries(Object.entries(options).map(([option, name]) => [option, settings[name]]));
}

/** The backoff rule in the form of a scenario. */
function namedBackoff(settings: Settings): NamedBackoff {
  const options = settings.rule === 'constant' ? settings.delayMs : given(settings);
  return { [settings.rule]: options } as unknown as NamedBackoff;
}

/** The policy in the form of a scenario. */
export function fleetPolicy(settings: Settings): FleetPolicy {
  const { maxRetries, attemptTimeoutMs, ratio, reserve } = settings;
  const { capacity, refillPerSecond, nonConforming } = settings;
  return {
    maxRetries,
    attemptTimeoutMs,
    backoff: namedBackoff(settings),
    ...(settings.budget && { budget: { retryBudget: { ratio, reserve } } }),
    ...(settings.bucket && { bucket: { tokenBucket: { capacity, refillPerSecond, nonConforming } } }),
  };
}

/** The options of the policy that decide about retries. */
export function retryOptions(settings: Settings): PolicyOptions {
  const options = settings.rule === 'constant' ? settings.delayMs : given(settings);
  return { maxRetries: settings.maxRetries, backoff: RULES[settings.rule].make(options as never) };
}

function written(value: string | number | boolean): string {
  if (typeof value === 'number') return literal(value);
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The source of a call, with one line for each option, so that lines are short enough for narrow screens. */
function call(name: string, options: Readonly<Record<string, string | number | boolean>>): string {
  const lines = Object.entries(options).map(([option, value]) => `    ${option}: ${written(value)},`);
  return `${name}({\n${lines.join('\n')}\n  })`;
}

/** A program with these settings, ready to run. */
export function codeOf(settings: Settings): string {
  const { rule, maxRetries, attemptTimeoutMs, ratio, reserve, delayMs } = settings;
  const { capacity, refillPerSecond, nonConforming } = settings;
  const parts = [
    `maxRetries: ${maxRetries}`,
    `backoff: ${rule === 'constant' ? `constant(${literal(delayMs)})` : call(rule, given(settings))}`,
    `attemptTimeoutMs: ${literal(attemptTimeoutMs)}`,
    ...(settings.budget ? [`budget: ${call('retryBudget', { ratio, reserve })}`] : []),
    ...(settings.bucket
      ? [`bucket: ${call('tokenBucket', { capacity, refillPerSecond, nonConforming })}`]
      : []),
  ];
  const used = ['createPolicy', rule, settings.budget && 'retryBudget', settings.bucket && 'tokenBucket'];
  const names = used.filter((name) => typeof name === 'string').sort();
  return [
    'import {',
    ...names.map((name) => `  ${name},`),
    "} from '@ebb/core';",
    '',
    'export const policy = createPolicy({',
    ...parts.map((part) => `  ${part},`),
    '});',
    '',
  ].join('\n');
}
