import type { Clock } from '../../base/clock.ts';
import { originOf } from '../../http/origin.ts';
import type { Outcome, RequestTraits } from '../../http/outcome.ts';
import { withJitter } from '../../http/retry-after.ts';
import {
  type Feedback,
  type ReadFeedback,
  readFeedback,
  serverFeedback,
} from '../../http/server-feedback.ts';
import type { Grant } from '../../loop/contracts.ts';
import type { WaitingBucketSetup } from './options.ts';

/** Of the successful responses of a quiet origin, one in so many is read … */
const EVERY = 32;

/** … and the first whose request was granted so long after that of the one read last, in milliseconds. */
const EVERY_MS = 100;

/** With more origins all are forgotten, which is safe: an origin that is not known is read. */
const MOST_ORIGINS = 100;

/** Whether an origin reports quotas. */
interface Habit {
  /** True once a response has reported one: from then on all are read. */
  reports: boolean;
  /** Responses since the one that was read last. */
  unread: number;
  /** When the request of the one that was read last was granted, in milliseconds. */
  readAtMs: number;
}

/**
 * The origins that report no quota with their successful responses. Looking for one takes seven headers, more than all
 * else that a bucket does for a request, and most origins report one always or never.
 *
 * The first response of an origin is read, and all of them if it has ever reported a quota. If an origin begins to report
 * later, at most 31 responses go unread, to requests that were granted within 100 ms. Should one of them say that the quota
 * is used up, the pause begins with the refusal of the next request: responses with an error are always read.
 */
export class QuietOrigins {
  readonly #habits = new Map<string, Habit>();

  /**
   * True if a successful response need not be read. If false, tell {@link heard} when it reports a quota.
   *
   * @param grantedAtMs when its request was granted, in milliseconds on any one clock
   */
  mayIgnore(origin: string, grantedAtMs: number): boolean {
    const habit = this.#habits.get(origin);
    if (habit === undefined) {
      if (this.#habits.size >= MOST_ORIGINS) this.#habits.clear();
      this.#habits.set(origin, { reports: false, unread: 0, readAtMs: grantedAtMs });
      return false;
    }
    if (habit.reports) return false;
    habit.unread += 1;
    if (habit.unread < EVERY && grantedAtMs < habit.readAtMs + EVERY_MS) return true;
    habit.unread = 0;
    habit.readAtMs = grantedAtMs;
    return false;
  }

  /** Notes that an origin has reported a quota. */
  heard(origin: string): void {
    const habit = this.#habits.get(origin);
    if (habit !== undefined) habit.reports = true;
  }
}

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
