import type { Clock } from '../../base/clock.ts';
import { withJitter } from '../../http/jitter.ts';
import { originOf } from '../../http/origin.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import {
  type Feedback,
  type ReadFeedback,
  readFeedback,
  serverFeedback,
} from '../../http/server-feedback.ts';
import type { Grant } from '../contracts.ts';
import { QuietOrigins } from './quiet-origins.ts';
import type { WaitingBucketSetup } from './waiting-bucket-options.ts';

/** How a bucket reads responses. */
type FeedbackRules = Pick<WaitingBucketSetup, 'feedback' | 'feedbackScope' | 'maxPauseMs' | 'random'>;

/** Reads for a bucket what servers say about their quotas. */
export class FeedbackReader {
  readonly #rules: FeedbackRules;
  /** Its clock may change. */
  readonly #time: { readonly clock: Clock };
  #quiet: QuietOrigins | undefined;

  constructor(rules: FeedbackRules, time: { readonly clock: Clock }) {
    this.#rules = rules;
    this.#time = time;
  }

  /**
   * What an outcome says about a quota; `undefined` for nothing.
   *
   * @throws HookError if `feedback` throws, or returns an invalid value
   */
  read(
    outcome: Outcome,
    grant: Grant,
    request: RequestTraits | undefined,
    ofPolicy: ReadFeedback | false | undefined,
  ): Feedback | undefined {
    const { feedback: own } = this.#rules;
    const feedback = own && (ofPolicy ?? own);
    const isSuccess = outcome.type === 'response' && outcome.status < 300 && outcome.judgement === undefined;
    // A custom `feedback` sees every outcome.
    const mayIgnore = isSuccess && request !== undefined && feedback === serverFeedback;
    if (!mayIgnore) return this.#readAll(feedback, outcome, grant);
    const origin = originOf(sourceOf(outcome) ?? request);
    this.#quiet ??= new QuietOrigins();
    if (this.#quiet.mayIgnore(origin, grant.grantedAtMs)) return undefined;
    const said = this.#readAll(feedback, outcome, grant);
    if (said !== undefined) this.#quiet.heard(origin);
    return said;
  }

  #readAll(feedback: ReadFeedback | false, outcome: Outcome, { cost }: Grant): Feedback | undefined {
    const { clock } = this.#time;
    return feedback === false ? undefined : readFeedback(feedback, outcome, clock.now(), cost);
  }

  /**
   * The pause that is asked for, in milliseconds, with some jitter on top so that a fleet does not return together; 0 for
   * none.
   */
  pauseMs(said: Feedback | undefined): number {
    // A custom `feedback` may return something that is not a number.
    if (said === undefined || !(said.pauseMs > 0)) return 0;
    const { maxPauseMs, random } = this.#rules;
    return withJitter(Math.min(said.pauseMs, maxPauseMs), random);
  }

  /** The origin that a pause is for; `undefined` for all requests of the bucket. */
  pausedOrigin(outcome: Outcome, request: RequestTraits | undefined): string | undefined {
    const source = sourceOf(outcome) ?? request;
    const forAll = this.#rules.feedbackScope === 'bucket' || source === undefined;
    return forAll ? undefined : originOf(source);
  }
}

/** Where a response came from, if the client reports it: a redirect may have led to another origin. */
function sourceOf(outcome: Outcome): { readonly url: string } | undefined {
  const url = outcome.type === 'response' ? outcome.url : undefined;
  return url === undefined ? undefined : { url };
}
