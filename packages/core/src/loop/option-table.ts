import { prose } from '#prose';
import type { BackoffStrategy } from '../backoff/curves.ts';
import { BY_DEFAULT } from '../backoff/curves.ts';
import {
  type Check,
  callable,
  checkPriority,
  having,
  notNegative,
  oneOf,
  positive,
  wholeNumber,
} from '../base/check.ts';
import { CLOCK_OPTION, RANDOM_OPTION } from '../base/clock.ts';
import { must, type OptionTable } from '../base/options.ts';
import { classifyHttp } from '../http/classify.ts';
import { checkFeedback, plainFeedback } from '../http/feedback.ts';
import { checkCost, checkKey } from './costs.ts';
import type { PolicyOptions, UnsetOptions } from './options.ts';
import { type Part, PLACES } from './part.ts';
import { checkTrusted } from './trust.ts';

/** A list of methods, or one of these words. */
export function methodsOr(takes: string | undefined, ...words: readonly string[]): Check {
  return (name, value) => {
    const hasType = [value].flat().every((method) => typeof method === 'string');
    must(name, takes, value, hasType, typeof value !== 'string' || words.includes(value));
  };
}

const checkMethods: Check = /* @__PURE__ */ methodsOr(
  prose("'idempotent', 'all', a list of methods, or a function"),
  'idempotent',
  'all',
);

const checkIdempotencyKey: Check = (name, value) =>
  must(name, prose('true or a function'), value, value === true || typeof value === 'function');

/** Limits bring their code: one of the user's own has to be made one. */
function bringing(takes: string | undefined): Check {
  return (name, value) => {
    const { part }: { readonly part?: Partial<Part> } = Object(value);
    const isPart = typeof part?.begin === 'function';
    // Without its code it would limit nothing, and no error would tell.
    must(name, takes, value, isPart, isPart);
  };
}

const checkUse: Check = (name, value) => {
  must(name, prose('a list of parts'), value, Array.isArray(value));
  for (const [index, part] of (value as readonly Part[]).entries()) {
    having(prose('a part'), 'begin')(`${name}[${index}]`, part);
    oneOf(...PLACES)(`${name}[${index}].place`, part.place);
  }
};

const checkBackoff: Check = (name, value) => {
  callable(name, value);
  const { maxRetries }: Partial<BackoffStrategy> = Object(value);
  if (maxRetries !== undefined) wholeNumber(`${name}.maxRetries`, maxRetries);
};

/** The retries of a policy without `maxRetries`: those of the backoff rule, or five. */
export function defaultRetries({ backoff }: { readonly backoff: BackoffStrategy }): number {
  return backoff.maxRetries ?? 5;
}

/** How the options of a policy are read. */
export const POLICY_OPTIONS: OptionTable<PolicyOptions, UnsetOptions> = {
  maxRetries: { check: wholeNumber, defaultOf: defaultRetries },
  backoff: { check: checkBackoff, default: BY_DEFAULT },
  classify: { check: callable, default: classifyHttp },
  feedback: { check: checkFeedback, default: plainFeedback },
  inspect: { check: bringing(prose('what inspectBody returns')) },
  idempotencyKey: { check: checkIdempotencyKey },
  beforeAttempt: { check: callable },
  trustedOrigins: { check: checkTrusted },
  aroundAttempt: { check: callable },
  methods: {
    check: (name, value) => typeof value === 'function' || checkMethods(name, value),
    default: 'idempotent',
  },
  maxRetryAfterMs: { check: notNegative, default: 600_000 },
  attemptTimeoutMs: { check: positive },
  totalTimeoutMs: { check: notNegative },
  bucket: { check: bringing(prose('a token bucket, or ownBucket(…)')) },
  concurrency: { check: bringing(prose('a concurrency limit, or ownLimit(…)')) },
  budget: { check: bringing(prose('a retry budget, or ownBudget(…)')) },
  throttle: { check: bringing(prose('throttle(…)')) },
  actualCost: { check: bringing(prose('readCost(…)')) },
  use: { check: checkUse },
  cost: { check: checkCost, default: 1 },
  priority: { check: checkPriority, default: 0 },
  key: { check: checkKey },
  fairKey: { check: (name, value) => typeof value === 'function' || checkKey(name, value) },
  maxWaitMs: { check: notNegative },
  stopSignal: { check: having(prose('an AbortSignal'), 'addEventListener', 'removeEventListener') },
  onEvent: { check: callable },
  clock: CLOCK_OPTION,
  random: RANDOM_OPTION,
};

/** Options that may stay unset: they have a check alone. Without them nothing has to be made before the first failure of a call. */
export const UNSET: readonly UnsetOptions[] = /* @__PURE__ */ (
  Object.keys(POLICY_OPTIONS) as UnsetOptions[]
).filter((name) => Object.keys(POLICY_OPTIONS[name]).length === 1);
