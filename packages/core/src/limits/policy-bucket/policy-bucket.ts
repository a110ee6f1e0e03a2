import { callable } from '../../base/check.ts';
import { type OptionTable, readOptions } from '../../base/options.ts';
import { type Outcome, originOf, type ReadFeedback, type RequestTraits } from '../../http/outcome.ts';
import type { Grant } from '../../policy/contracts.ts';
import {
  WAITING_BUCKET_OPTIONS,
  type WaitingBucketOptions,
  type WaitingBucketSetup,
} from '../bucket/options.ts';
import { TokenGrant } from '../bucket/token-grant.ts';
import { WaitingBucket } from '../bucket/waiting-bucket.ts';
import type { ObservableBucket } from '../limit.ts';
import { type BucketPerKey, perKey } from '../per-key/per-key.ts';
import { KeyQuotas, type Quotas } from './key-quotas.ts';
import type { CountedRequest } from './server-quota.ts';

/** Options of {@link policyBucket}. Pauses are always of one key. */
export interface PolicyBucketOptions extends Omit<WaitingBucketOptions, 'feedbackScope'> {
  /**
   * The key of a request. Requests with the same key must be in the same partitions of the server: those of a user, for example.
   * @default the origin of its URL
   */
  readonly keyOf?: ((request: RequestTraits) => string) | undefined;
}

const { feedbackScope: _, ...WAITING } = WAITING_BUCKET_OPTIONS;

const OPTIONS = {
  ...WAITING,
  keyOf: { check: callable, default: originOf },
} as object as OptionTable<PolicyBucketOptions>;

/** The bucket of one key. */
class PolicyBucket extends WaitingBucket<KeyQuotas> {
  constructor(setup: WaitingBucketSetup, source: KeyQuotas) {
    super(setup, source);
    source.serve = () => this.serve();
  }

  override observe(
    outcome: Outcome,
    grant: Grant,
    request?: RequestTraits,
    read?: ReadFeedback | false,
  ): ReturnType<WaitingBucket<KeyQuotas>['observe']> {
    try {
      return super.observe(outcome, grant, request, read);
    } finally {
      // Also if `feedback` fails: others may wait for the end of the request.
      const origin = request ? originOf(request) : '';
      this.source.end(TokenGrant.heldBy(grant) as CountedRequest, outcome, origin, this.time.now());
    }
  }
}

/**
 * A bucket that takes its quotas from the server, by the fields `RateLimit-Policy` and `RateLimit`: a quota of each policy and partition key.
 * For the `bucket` of a policy; it needs no number.
 *
 * - A key whose quotas are not known sends one request, and the others wait for the answer. So does each window begin.
 * - A window is used up as fast as requests come. Then they wait for the reset.
 * - A service without these fields is not limited. A `Retry-After` pauses the requests of a key in any case.
 * - A request counts 1; where the unit (`qu`) is another one, the `cost` of the policy; concurrent requests count until they are answered.
 *
 * Source: draft-ietf-httpapi-ratelimit-headers-10.
 *
 * @throws TypeError, RangeError for a wrong option
 * @example
 * ```ts
 * import { createPolicy } from '@ebb/core';
 * import { policyBucket } from '@ebb/core/quotas';
 *
 * const policy = createPolicy({
 *   bucket: policyBucket({ keyOf: (request) => request.header('x-tenant') ?? '' }),
 * });
 * ```
 */
export function policyBucket(options: PolicyBucketOptions = {}): BucketPerKey<ObservableBucket> {
  const { keyOf, ...waiting } = readOptions('policyBucket', options, OPTIONS);
  const setup = { ...waiting, feedbackScope: 'bucket' } as const;
  const all: Quotas = new Map();
  return perKey(() => new PolicyBucket(setup, new KeyQuotas(all, setup.maxPauseMs)), {
    keyOf,
    clock: setup.clock,
  });
}
