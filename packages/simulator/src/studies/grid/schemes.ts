import type { ClientFactory } from '../../scenario/client-options.ts';
import type { FleetPolicy } from '../../scenario/fleet-policy.ts';
import { awsStandardClient } from '../aws-client.ts';
import { sreThrottlingOver } from '../storm/schemes.ts';
import { asPublished } from '../storm/storm.ts';

const attemptTimeoutMs = 1_000;

/** The scheme with which every other scheme is compared. */
export const NO_RETRIES = 'No retries';
export const BUDGET = 'retryBudget()';
/** The schemes that only retry. */
export const RETRYING: readonly string[] = ['Default', BUDGET];
export const THROTTLE = 'adaptiveThrottle()';

/** The schemes that are compared over the grid. */
export const SCHEMES: Readonly<Record<string, FleetPolicy | ClientFactory>> = {
  [NO_RETRIES]: { attemptTimeoutMs, maxRetries: 0 },
  Default: { attemptTimeoutMs },
  [BUDGET]: { attemptTimeoutMs, budget: { retryBudget: {} } },
  [THROTTLE]: { attemptTimeoutMs, throttle: {} },
  Both: { attemptTimeoutMs, throttle: {}, budget: { retryBudget: {} } },
  'SRE book (10 s)': asPublished(sreThrottlingOver(10_000)),
  'awsStandard()': asPublished(awsStandardClient),
};
