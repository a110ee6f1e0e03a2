import type { CallView, Limit, Outcome, Permit, RequestTraits, StopReason } from '@ebb/core';

/** The tokens of the quota, and what its retries cost. */
const TOKENS = 500;
const TRANSIENT_COST = 14;
const THROTTLING_COST = 5;
/** The tokens that a call adds if it was successful at once. */
const SUCCESS = 1;

/** Operations that hold a request open until there is something to do, by their `x-amz-target`. */
const LONG_POLL =
  /^(AmazonSQS\.ReceiveMessage|AWSStepFunctions\.GetActivityTask|SimpleWorkflowService\.PollFor(Activity|Decision)Task)$/;

function isLongPoll(request: RequestTraits): boolean {
  return LONG_POLL.test(request.header('x-amz-target') ?? '');
}

/** True for a response by which the service asks for less. Any other failure is transient, also a refused connection. */
export function isThrottling(outcome: Outcome | undefined): boolean {
  return outcome?.type === 'response' && (outcome.status === 429 || outcome.advice?.verdict === 'refused');
}

/** A limit of retries that can be watched. */
export interface AwsRetryQuota extends Limit {
  /** The tokens that are left, from 0 to 500. */
  readonly tokens: number;
}

/**
 * The retry quota of AWS's standard mode: 500 tokens for all calls that share it. A retry after throttling takes 5, another one 14. A call that
 * succeeds gives back what its last retry took, or adds 1 if it needed none. A retry that the quota cannot pay is not sent, and the call ends
 * as `budget-exhausted`.
 *
 * A long poll (`ReceiveMessage` of SQS, `GetActivityTask` of Step Functions, `PollForActivityTask` and `PollForDecisionTask` of SWF, by
 * `x-amz-target`) is retried without tokens, after its delay. The SDK waits as long and fails, and its caller polls again.
 *
 * Source: @smithy/core 3.41.1 (`StandardRetryStrategy`); aws-sdk-go-v2, pull request 3400.
 */
export function awsRetryQuota(): AwsRetryQuota {
  /** True if the last attempt was throttled. */
  const throttled = new WeakMap<CallView, boolean>();
  const lastCosts = new WeakMap<CallView, number>();
  let tokens = TOKENS;
  return {
    name: 'AWS retry quota',
    get tokens() {
      return tokens;
    },
    // An attempt costs nothing. Its outcome says what a retry costs: the reason is `refused` after a refused connection, too.
    take(call: CallView): Permit {
      return {
        cancel: () => undefined,
        settle: (outcome) => void throttled.set(call, isThrottling(outcome)),
      };
    },
    planRetry(call: CallView): Permit | StopReason | undefined {
      const cost = throttled.get(call) ? THROTTLING_COST : TRANSIENT_COST;
      if (tokens < cost) return isLongPoll(call.request) ? undefined : 'budget-exhausted';
      const before = lastCosts.get(call);
      tokens -= cost;
      lastCosts.set(call, cost);
      return {
        cancel() {
          tokens += cost;
          if (before === undefined) lastCosts.delete(call);
          else lastCosts.set(call, before);
        },
      };
    },
    ended(call: CallView, reason: StopReason): void {
      if (reason === 'success') tokens = Math.min(TOKENS, tokens + (lastCosts.get(call) ?? SUCCESS));
    },
  };
}
