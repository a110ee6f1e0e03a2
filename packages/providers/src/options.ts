import type { Classify, CostReader, PolicyOptions, QuotaBucket, QuotaLimit } from '@ebb/core';
import { WAITING_BUCKET_OPTIONS, type WaitingBucketOptions } from '@ebb/core/bucket';
import {
  askedWaitMs,
  type Check,
  classifyHttp,
  flag,
  IN_MILLISECONDS,
  type OptionTable,
  positive,
  readOptions,
} from '@ebb/core/internal';

/** Options of a preset. */
export interface PresetOptions {
  /**
   * Whether a request that is not idempotent, such as a POST, may be sent again when the server may have carried it out: after a 5xx, a
   * timeout, a broken connection. A refused request may always be sent again.
   * @default true for openai, anthropic, and the calls of a model of google; false for the others
   */
  readonly repeatPosts?: boolean | undefined;
}

/**
 * Reads the options of a preset.
 *
 * @throws TypeError for an unknown option, or a value that is not true or false
 */
export function repeatsPosts(preset: string, options: PresetOptions, byDefault: boolean): boolean {
  const table = { repeatPosts: { check: flag, default: byDefault } };
  return readOptions<PresetOptions>(preset, options, table).repeatPosts;
}

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

/** The result of the limits of a provider: options of a policy, to spread beside the options of its preset. */
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
