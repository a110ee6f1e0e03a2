import type { Clock, Random } from '../../base/clock.ts';
import { callHook } from '../../base/errors.ts';
import { originOf } from '../../http/origin.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import type { Feedback, ReadFeedback } from '../../http/server-feedback.ts';
import type { FeedbackScope } from './options.ts';

/** How a bucket reads responses. */
export interface FeedbackRules {
  readonly feedback: ReadFeedback | false;
  readonly feedbackScope: FeedbackScope;
  readonly maxPauseMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** What a bucket is to do about a response. */
export interface RequestedPause {
  /** What the response says; `undefined` when it says nothing. */
  readonly said: Feedback | undefined;
  /** How long to send nothing, in milliseconds: a little more than was asked for, so that a fleet does not return together. */
  readonly pauseMs: number;
  /** The origin that the pause holds for; `undefined` for all requests. */
  readonly origin: string | undefined;
}

const NOTHING: RequestedPause = { said: undefined, pauseMs: 0, origin: undefined };

/**
 * Reads a response for a bucket, in memory or in a store.
 *
 * @throws HookError when `feedback` throws
 */
export function requestedPause(
  rules: FeedbackRules,
  outcome: Outcome,
  request: RequestTraits | undefined,
): RequestedPause {
  const { feedback, feedbackScope, maxPauseMs, clock, random } = rules;
  const said = feedback === false ? undefined : callHook('feedback', () => feedback(outcome, clock.now()));
  if (said === undefined) return NOTHING;
  // A feedback of the user's own may say what is no number.
  if (!(said.pauseMs > 0)) return { said, pauseMs: 0, origin: undefined };
  const askedMs = Math.min(said.pauseMs, maxPauseMs);
  const pauseMs = askedMs + random() * Math.min(askedMs / 5, 1_000);
  const speaker = speakerOf(outcome) ?? request;
  const forAll = feedbackScope === 'bucket' || speaker === undefined;
  return { said, pauseMs, origin: forAll ? undefined : originOf(speaker) };
}

/** The place that a response came from, if the client tells: a redirect may have led to another origin. */
function speakerOf(outcome: Outcome): { readonly url: string } | undefined {
  const url = outcome.type === 'response' ? outcome.url : undefined;
  return url === undefined ? undefined : { url };
}
