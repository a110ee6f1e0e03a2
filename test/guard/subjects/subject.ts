import {
  adaptiveThrottle,
  type Clock,
  concurrencyLimit,
  constant,
  createPolicy,
  equalJitter,
  exponential,
  fullJitter,
  inspectBody,
  type MemoryBucket,
  type Policy,
  type PolicyOptions,
  retryBudget,
  tokenBucket,
} from '@ebb/core';

/** Sends one request. It is over when the promise is settled, if one is returned. */
export type Send = () => unknown;

/** The same request without ebb and with it. The cost of ebb is the difference. */
export interface Subject {
  readonly bare: Send;
  readonly ebb: Send;
}

/** Each subject is made in a process of its own. */
export type Subjects = Readonly<Record<string, () => Subject>>;

export const url = 'http://upstream.test/';

/** Never empty. */
export function bucket(): MemoryBucket {
  return tokenBucket({ capacity: 1e9, refillPerSecond: 1e9 });
}

export function allLimits(): Policy {
  const concurrency = concurrencyLimit({ maxConcurrent: 100 });
  return createPolicy({ bucket: bucket(), budget: retryBudget(), concurrency });
}

/** Each wait ends in the next turn of the event loop: a real timer would take a millisecond. */
export function withShortWaits(): Policy {
  const clock: Clock = {
    now: () => performance.timeOrigin + performance.now(),
    schedule(wake) {
      const immediate = setImmediate(wake);
      return () => clearImmediate(immediate);
    },
  };
  return createPolicy({ backoff: () => 1, clock });
}

/** 503, 503, 200, and again. */
export function everyThirdSucceeds(): () => number {
  let sent = 0;
  return () => {
    sent += 1;
    return sent % 3 === 0 ? 200 : 503;
  };
}

const CURVE = { baseMs: 100, capMs: 10_000 };
const RULES = [fullJitter(CURVE), exponential(CURVE), equalJitter(CURVE), constant(1_000)];

const inspecting = inspectBody(async (response) => {
  await response.text();
  return undefined;
});

/** Three clients with limits, one with a throttle, one that looks into each response. The other five of ten have none of it. */
const LIMITED: readonly (() => PolicyOptions)[] = [
  () => ({ bucket: bucket() }),
  () => ({ concurrency: concurrencyLimit({ maxConcurrent: 100 }) }),
  () => ({ bucket: bucket(), budget: retryBudget(), concurrency: concurrencyLimit({ maxConcurrent: 100 }) }),
  () => ({ throttle: adaptiveThrottle() }),
  () => ({ inspect: inspecting }),
];

/**
 * Ten clients of ten policies in one program, as in a service with ten upstreams, used in turn. What one client alone makes
 * cheap is not cheap here: an inlined callee, a branch never taken, and layers that are told apart once there are two.
 */
export function inTurn(
  clientOf: (policy?: Policy) => Send,
  limited: readonly (() => PolicyOptions)[] = [],
): Subject {
  const clients = (policies: readonly (Policy | undefined)[]): Send => {
    const sends = policies.map(clientOf);
    let next = 0;
    return () => {
      next = next === sends.length - 1 ? 0 : next + 1;
      return sends[next]?.();
    };
  };
  const policies = Array.from({ length: 10 }, (_, index) => {
    const backoff = RULES[index % RULES.length] ?? constant(1_000);
    return createPolicy({ maxRetries: index + 1, backoff, ...limited[index]?.() });
  });
  return { bare: clients(policies.map(() => undefined)), ebb: clients(policies) };
}

/** The same ten, of which five have limits, a throttle or `inspect`. */
export function mixed(clientOf: (policy?: Policy) => Send): Subject {
  return inTurn(clientOf, LIMITED);
}
