import { constant, fullJitter, type RetryBudget } from '@ebb/core';
import { budgetLimit } from '@ebb/core/bucket';
import type { ClientFactory, CustomClient, Environment } from '../../scenario/client-options.ts';
import { isSuccess } from '../../simulation/outcomes.ts';
import { WindowCount } from './window-count.ts';

/** A budget whose balance is kept elsewhere. */
function budget(balance: () => number, spend: () => void, earn: () => void = () => {}): RetryBudget {
  const own = {
    get balance() {
      return Math.max(0, Math.floor(balance()));
    },
    deposit: earn,
    withdraw() {
      if (balance() < 1) return false;
      spend();
      return true;
    },
  };
  return Object.assign(own, { limit: budgetLimit(own) });
}

/**
 * gRPC with the settings of the examples in its proposal: four attempts, after random waits of up to 100, 200 and
 * 400 ms. There are ten tokens. A failure takes one, a success adds a tenth, and below half of them nothing is retried.
 *
 * Source: gRPC proposal A6, "Client Retries", sections "Exponential Backoff" and "Throttling Retry Attempts".
 */
export const grpcA6: ClientFactory = () => {
  const [maxTokens, tokenRatio] = [10, 0.1];
  let tokens = maxTokens;
  return {
    policy: {
      maxRetries: 3,
      backoff: fullJitter({ baseMs: 100, capMs: 1_000 }),
      budget: budget(
        () => (tokens > maxTokens / 2 ? 1 : 0),
        () => {},
      ),
    },
    onOutcome(outcome) {
      tokens = isSuccess(outcome) ? Math.min(maxTokens, tokens + tokenRatio) : Math.max(0, tokens - 1);
    },
  };
};

/**
 * Finagle's default: retries at once, up to a fifth of the requests of the last ten seconds plus ten per second. A
 * request may make up to 20 retries, a fifth of the reserve.
 *
 * Source: twitter/finagle, RetryBudget.scala and RequeueFilter.scala; user guide, "Retries".
 */
export const finagle: ClientFactory = ({ clock }) => {
  const [share, reservePerSecond, windowMs] = [0.2, 10, 10_000];
  const reserve = (reservePerSecond * windowMs) / 1_000;
  const account = new WindowCount(clock, windowMs, 10);
  return {
    policy: {
      maxRetries: share * reserve,
      backoff: constant(0),
      budget: budget(
        () => reserve + account.sum + 1e-9,
        () => account.add(-1),
      ),
    },
    onRequest: () => account.add(share),
  };
};

/**
 * Google's clients: each refuses its own requests with a probability of (requests − 2·accepts) / (requests + 1), over
 * two minutes. Three attempts without waits, and retries for at most a tenth of the requests.
 *
 * Source: "Site Reliability Engineering", chapter 21, "Client-Side Throttling" and "Deciding to Retry".
 */
export const sreThrottling: ClientFactory = sreThrottlingOver(120_000);

/** The same rule over another time, in milliseconds. */
export function sreThrottlingOver(windowMs: number): ClientFactory {
  return (environment) => sreClient(environment, windowMs);
}

function sreClient({ clock, random }: Environment, windowMs: number): CustomClient {
  const [slots, multiplier, retryShare] = [12, 2, 0.1];
  const requests = new WindowCount(clock, windowMs, slots);
  const accepts = new WindowCount(clock, windowMs, slots);
  const retries = new WindowCount(clock, windowMs, slots);
  return {
    policy: {
      maxRetries: 2,
      backoff: constant(0),
      budget: budget(
        () => (retries.sum < retryShare * requests.sum ? 1 : 0),
        () => retries.add(1),
      ),
    },
    admit() {
      const asked = requests.sum;
      requests.add(1);
      return random() >= (asked - multiplier * accepts.sum) / (asked + 1);
    },
    onOutcome(outcome) {
      if (isSuccess(outcome)) accepts.add(1);
    },
  };
}
