import { inDevelopment, prose } from '#prose';
import { type Check, callable } from '../base/check.ts';
import { HookError, property } from '../base/errors.ts';
import { must, mustHaveFields } from '../base/options.ts';
import type { Outcome } from './outcome.ts';
import { askedWaitMs } from './retry-after.ts';

/** What a response says about the quota of the client, and about a retry. */
export interface Feedback {
  /** How long to send no requests, in milliseconds; 0 if the server does not ask for a pause. */
  readonly pauseMs: number;
  /** How many more requests, or other units, the server accepts now; `undefined` if it does not say. */
  readonly remaining: number | undefined;
  /** True if the request was refused because the rate was too high. */
  readonly tooFast: boolean;
  /**
   * How long not to send this request again, in milliseconds.
   * @default pauseMs
   */
  readonly waitMs?: number | undefined;
  /** Whether the server says that this request should be sent again; `undefined` if it does not say. */
  readonly shouldRetry?: boolean | undefined;
}

/**
 * Reads an outcome; `undefined` if it says nothing reliable.
 *
 * @param cost the tokens that the request costs, for quotas that count something else than requests; at a bucket of several units
 * those of each
 */
export interface ReadFeedback {
  (outcome: Outcome, nowMs: number, cost?: FeedbackCost): Feedback | undefined;
  /** True if `remaining` comes from header fields, which may be about something else than the tokens of a request. */
  readonly readsFields?: true;
}

/** Tokens, or by unit. */
type FeedbackCost = number | Readonly<Record<string, number>>;

/** A `feedback` option. */
export const checkFeedback: Check = (name, value) => {
  if (value !== false) callable(name, value);
};

/** A field of each type. A number may be NaN, which counts as none. */
const LIKE: Readonly<Record<keyof Feedback, number | boolean>> = {
  pauseMs: 0,
  remaining: 0,
  waitMs: 0,
  tooFast: false,
  shouldRetry: false,
};

/** True if `Retry-After` on this status is about load, and not about a redirect or another condition of the resource. */
export function isAboutLoad(status: number): boolean {
  return status === 403 || status === 413 || status === 429 || status >= 500;
}

/** What a `feedback` of the user has returned. */
const checkSaid: Check = (name, said) =>
  inDevelopment(() => {
    if (said === undefined) return;
    mustHaveFields(name, prose('an object, or undefined'), said);
    for (const [field, like] of Object.entries(LIKE)) {
      const value = property(said, field);
      const takes = like === 0 ? 'a number' : 'true or false';
      must(`${name}: ${field}`, prose(takes), value, value === undefined || typeof value === typeof like);
    }
  });

/**
 * Calls a `feedback` option.
 *
 * @throws HookError if it throws, or returns something else than feedback or nothing
 */
export function readFeedback(
  feedback: ReadFeedback,
  outcome: Outcome,
  nowMs: number,
  cost: FeedbackCost,
): Feedback | undefined {
  try {
    // `null` says nothing, as `undefined` does.
    const said = feedback(outcome, nowMs, cost) ?? undefined;
    checkSaid('its result', said);
    return said;
  } catch (cause) {
    throw new HookError('feedback', cause);
  }
}

/**
 * How a policy reads responses by default: the longest of `Retry-After` and `retry-after-ms`, and nothing else. A redirect and
 * a success say nothing.
 *
 * Source: RFC 9110 §10.2.3; the SDK of OpenAI (`retry-after-ms`).
 */
export const plainFeedback: ReadFeedback = (outcome, nowMs) => {
  if (outcome.type !== 'response') return undefined;
  const { status, judgement } = outcome;
  if (status < 400 && (status >= 300 || judgement === undefined)) return undefined;
  const waitMs = askedWaitMs(outcome, nowMs, ['retry-after-ms']);
  // The pause is for buckets, which read more than this.
  return waitMs ? { pauseMs: 0, remaining: undefined, tooFast: false, waitMs } : undefined;
};
