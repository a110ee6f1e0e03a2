import { type Check, positive } from '../base/check.ts';
import type { OptionTable } from '../base/options.ts';
import type { CostReader } from '../loop/contracts.ts';
import type { PolicyOptions } from '../loop/options.ts';
import { WAITING_BUCKET_OPTIONS, type WaitingBucketOptions } from '../parts/bucket/options.ts';
import type { QuotaBucket, QuotaLimit } from '../parts/bucket/quota-bucket.ts';

/** What the limits of a provider return: options of a policy, to spread beside those of its preset. */
export interface ProviderLimits extends PolicyOptions {
  readonly bucket: QuotaBucket;
  readonly cost: NonNullable<PolicyOptions['cost']>;
  readonly actualCost: CostReader;
}

/** How the numbers of an account are read, with the options of a bucket. */
export function limitsTable<O extends WaitingBucketOptions>(
  own: Omit<OptionTable<O>, keyof WaitingBucketOptions>,
): OptionTable<O> {
  return { ...own, ...WAITING_BUCKET_OPTIONS } as unknown as OptionTable<O>;
}

/** A number of an account. */
export const ACCOUNT_NUMBER: { readonly check: Check; readonly required: true } = {
  check: positive,
  required: true,
};

/** A quota of so much a minute: as much can be taken at once, and it refills continuously. */
export function aMinute(most: number): QuotaLimit {
  return { refillPerSecond: most / 60, capacity: most };
}
