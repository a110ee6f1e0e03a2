import type { CallView, RetryBudget } from '@ebb/core';
import { budgetLimit } from '@ebb/core/bucket';
import { awsRetryQuota, awsStandard } from '@ebb/providers';
import type { ClientFactory } from '../scenario/client-options.ts';
import { isSuccess, REQUEST } from '../simulation/outcomes.ts';

/** A call, as far as the quota reads it. */
const newCall = (): CallView => ({ request: REQUEST }) as object as CallView;

/**
 * `awsStandard()` of @ebb/providers with its quota, as a budget of each client: requests of the simulator are no calls. A retry costs what the
 * failure before it says, and a success gives back the cost of the last retry: so one call stands for all that are retried, and one for the
 * others. Exact where all failures cost the same, as in studies whose services answer no 429.
 */
export const awsStandardClient: ClientFactory = () => {
  const quota = awsRetryQuota();
  const [first, retried] = [newCall(), newCall()];
  const own = {
    balance: Number.POSITIVE_INFINITY,
    deposit() {},
    withdraw: () => typeof quota.planRetry?.(retried, { reason: 'transient', delayMs: 0 }) !== 'string',
  };
  const budget: RetryBudget = Object.assign(own, { limit: budgetLimit(own) });
  return {
    policy: { ...awsStandard(), budget },
    onOutcome(outcome, attempt) {
      if (isSuccess(outcome)) quota.ended?.(attempt === 1 ? first : retried, 'success');
      const permit = quota.take?.(retried, undefined);
      if (permit && 'settle' in permit) permit.settle?.(outcome);
    },
  };
};
