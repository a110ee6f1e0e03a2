import type { ClientFactory } from '../../scenario/client-options.ts';
import type { FleetPolicy, NamedBackoff } from '../../scenario/fleet-policy.ts';
import { awsStandardClient } from '../aws-client.ts';
import type { Experiment } from '../experiment.ts';
import { finagle, grpcA6, sreThrottling } from './schemes.ts';

/** The load as a share of the capacity. */
const LOAD = 0.9;
const SERVICE_MS = 20;

/** Clients wait one second for an answer: half the time that a request spends in a full queue. */
const attemptTimeoutMs = 1_000;
const curve = { baseMs: 100, capMs: 10_000 };

function withBackoff(backoff: NamedBackoff): FleetPolicy {
  return { attemptTimeoutMs, backoff, budget: false };
}

/** A published scheme with the storm's timeout. */
export function asPublished(scheme: ClientFactory): ClientFactory {
  return (environment) => {
    const client = scheme(environment);
    return { ...client, policy: { ...client.policy, attemptTimeoutMs } };
  };
}

/** The size of a storm. */
export interface StormSize {
  /** @default 10_000 */
  readonly clients?: number;
  /**
   * New requests of the whole fleet.
   * @default 2_000
   */
  readonly requestsPerSecond?: number;
  /**
   * The longest queue of the server, in seconds of its work.
   * @default 2
   */
  readonly queueSeconds?: number;
  /** @default 130_000 */
  readonly durationMs?: number;
}

/**
 * A service at 90 % of its capacity loses half of it for a minute. Its queue holds two seconds of work and clients wait
 * one second. While the queue is full, every served request has been given up, so the overload persists.
 */
export function storm(policies: Experiment['policies'], size: StormSize = {}): Experiment {
  const { clients = 10_000, requestsPerSecond = 2_000, queueSeconds = 2, durationMs = 130_000 } = size;
  const capacity = requestsPerSecond / LOAD;
  return {
    durationMs,
    clients: { count: clients, requestsPerSecond },
    server: {
      workers: Math.round((capacity * SERVICE_MS) / 1_000),
      serviceMs: SERVICE_MS,
      maxQueue: Math.round(capacity * queueSeconds),
      troubles: [{ type: 'brown-out', fromMs: 10_000, untilMs: 70_000, capacityShare: 0.5 }],
    },
    policies,
  };
}

/** The policies of the storm, for a fleet of this size. */
export function stormPolicies(size: StormSize = {}): Record<string, FleetPolicy | ClientFactory> {
  const { clients = 10_000, requestsPerSecond = 2_000 } = size;
  const capacityOfOne = requestsPerSecond / LOAD / clients;
  const budget = { retryBudget: {} };
  // A little less than a client's share of the capacity. The rest shortens the queue.
  const bucket = { refillPerSecond: 0.95 * capacityOfOne, capacity: Math.max(5, capacityOfOne / 5) };
  return {
    'No retries': { attemptTimeoutMs, maxRetries: 0 },
    'At once': withBackoff({ constant: 0 }),
    'Full jitter': withBackoff({ fullJitter: curve }),
    'Equal jitter': withBackoff({ equalJitter: curve }),
    Decorrelated: withBackoff({ decorrelatedJitter: curve }),
    Memorystore: withBackoff({ memorystore: {} }),
    '+ budget': { ...withBackoff({ memorystore: {} }), budget },
    '+ throttle': { ...withBackoff({ memorystore: {} }), throttle: {} },
    '+ bucket': { ...withBackoff({ memorystore: {} }), budget, bucket: { tokenBucket: bucket } },
    '+ adaptive': { ...withBackoff({ memorystore: {} }), budget, bucket: { adaptive: bucket } },
    'ebb’s default': { attemptTimeoutMs },
    'gRPC A6': asPublished(grpcA6),
    Finagle: asPublished(finagle),
    'AWS standard': asPublished(awsStandardClient),
    'Google SRE': asPublished(sreThrottling),
  };
}
