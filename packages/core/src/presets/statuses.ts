import { type Classify, classifyHttp } from '../http/classify.ts';
import { askedWaitMs } from '../http/retry-after.ts';
import { IN_MILLISECONDS } from '../http/server-feedback.ts';

/** As `classifyHttp`, which retries 429 and failures, but with other statuses that are transient. */
export function classifyBy(isTransient: (status: number) => boolean): Classify {
  return (outcome) => {
    if (outcome.type === 'failure' || outcome.status < 400 || outcome.status === 429) {
      return classifyHttp(outcome);
    }
    return isTransient(outcome.status) ? 'transient' : 'final';
  };
}

/**
 * As another rule, but a 503 that asks for a wait is a refusal. Only for a provider that says so of its own servers: a proxy
 * adds the field to a 503 after work was done as well.
 */
export function refusingBusy(classify: Classify): Classify {
  return (outcome, request, attempt) => {
    const isBusy = outcome.type === 'response' && outcome.status === 503 && outcome.redirected !== true;
    // A date counts from the `Date` of the response. Without one any date is later than 1970.
    return isBusy && (askedWaitMs(outcome, 0, IN_MILLISECONDS) ?? 0) > 0
      ? 'refused'
      : classify(outcome, request, attempt);
  };
}
