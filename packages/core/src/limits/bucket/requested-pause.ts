import { callHook } from '../../base/errors.ts';
import { withJitter } from '../../http/jitter.ts';
import { originOf } from '../../http/origin.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import type { Feedback } from '../../http/server-feedback.ts';
import type { WaitingBucketSetup } from './waiting-bucket-options.ts';

/** How a bucket reads responses. */
type FeedbackRules = Pick<
  WaitingBucketSetup,
  'feedback' | 'feedbackScope' | 'maxPauseMs' | 'clock' | 'random'
>;

/** What a response asks a bucket to do. */
export interface RequestedPause {
  /** What was read from the response; `undefined` if it says nothing about a quota. */
  readonly said: Feedback | undefined;
  /** The pause in milliseconds, with some jitter on top so that a fleet does not return together; 0 for none. */
  readonly pauseMs: number;
  /** The origin to pause; `undefined` for all requests of the bucket. */
  readonly origin: string | undefined;
}

const NOTHING: RequestedPause = { said: undefined, pauseMs: 0, origin: undefined };

/**
 * Reads from a response how long a bucket is to pause.
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
  // A custom `feedback` may return something that is not a number.
  if (!(said.pauseMs > 0)) return { said, pauseMs: 0, origin: undefined };
  const askedMs = Math.min(said.pauseMs, maxPauseMs);
  const pauseMs = withJitter(askedMs, random);
  const source = sourceOf(outcome) ?? request;
  const forAll = feedbackScope === 'bucket' || source === undefined;
  return { said, pauseMs, origin: forAll ? undefined : originOf(source) };
}

/** Where a response came from, if the client reports it: a redirect may have led to another origin. */
function sourceOf(outcome: Outcome): { readonly url: string } | undefined {
  const url = outcome.type === 'response' ? outcome.url : undefined;
  return url === undefined ? undefined : { url };
}
