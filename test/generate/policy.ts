import {
  adaptiveThrottle,
  type Clock,
  classifyHttp,
  concurrencyLimit,
  constant,
  fairQueue,
  type InspectedResponse,
  type InspectResult,
  inspectBody,
  type Limit,
  type Permit,
  type PolicyOptions,
  perKey,
  priorityQueue,
  quotaBucket,
  retryBudget,
  tokenBucket,
} from '@ebb/core';
import { costFromResponse } from '@ebb/providers';
import { faulty } from './faults.ts';
import { isBound, type Parts } from './parts.ts';
import { countingClock, type Probe } from './probe.ts';

/** The value of the credential that hooks return. */
export const SECRET = 'hook-secret';
/** That of a caller. */
export const OWN_SECRET = 'own-secret';
/** How long code of a user waits that waits, in milliseconds. */
const WAITS_MS = 2;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const never = new Promise<never>(() => undefined);

/** A request that user code makes: it must not make others. */
const isSide = ({ url }: { readonly url: string }): boolean => url.includes('/side');

function limitsOf(parts: Parts, probe: Probe, clock: Clock | undefined): PolicyOptions {
  const { bucket, concurrency, queue: order } = parts;
  const queue = order && { queue: order === 'fair' ? fairQueue() : priorityQueue() };
  const makeBucket = () => {
    const { kind, nonConforming = 'delay', isSettled = false } = bucket ?? {};
    const rate = {
      // A server that asks for a pause empties a bucket, and this one would never be full again.
      still: { refillPerSecond: 1e-6, capacity: 1_000, feedback: false as const },
      // Nothing to wait for.
      tiny: { refillPerSecond: 1e-6, capacity: 6, maxWaitMs: 5 },
      fast: { refillPerSecond: 1_000, capacity: 4 },
    }[kind ?? 'still'];
    const { refillPerSecond, capacity, ...more } = rate;
    const common = { ...more, nonConforming, maxPauseMs: 5, ...queue, clock };
    const tokens = { refillPerSecond, capacity, chargeOn: 'completion' as const };
    const made = isSettled
      ? quotaBucket({ ...common, limits: { tokens } })
      : tokenBucket({ ...rate, ...common });
    probe.buckets.push(made);
    return made;
  };
  const makeLimit = () => {
    const { max = 1, maxQueue } = concurrency ?? {};
    const made = concurrencyLimit({
      maxConcurrent: max,
      clock,
      ...queue,
      ...(maxQueue !== undefined && { maxQueue }),
    });
    probe.limits.push(made);
    return made;
  };
  const keys = faulty(parts, 'keyOf', probe, ({ url }: { readonly url: string }) => new URL(url).origin);
  return {
    ...(bucket && { bucket: bucket.isPerKey ? perKey(makeBucket, { keyOf: keys, clock }) : makeBucket() }),
    ...(concurrency && {
      concurrency: concurrency.isPerKey ? perKey(makeLimit, { keyOf: keys, clock }) : makeLimit(),
    }),
    ...(order === 'fair' && {
      fairKey: faulty(parts, 'fairKey', probe, ({ method }: { method: string }) => method),
    }),
    ...(order === 'priority' && { priority: 1 }),
    ...(parts.isBudgeted && { budget: retryBudget({ reserve: 3, clock }) }),
    // A skipped request would wait for longer than a case may take.
    ...(parts.isThrottled && { throttle: adaptiveThrottle({ whenSkipped: 'fail' }) }),
  };
}

function inspectOf(parts: Parts, probe: Probe) {
  const { inspect } = parts;
  const looks: Record<string, (response: InspectedResponse) => Promise<InspectResult | undefined>> = {
    reads: async (response) => void (await response.text()) as undefined,
    judges: async (response) =>
      (await response.text())?.includes('.s0') && response.attempt === 1
        ? { verdict: 'transient' }
        : undefined,
    never: () => never,
    calls: async ({ request }) => {
      if (!isSide(request)) await probe.callsItself();
      return undefined;
    },
    'first-event': async (response) => void (await response.firstEvent()) as undefined,
  };
  // What ends by itself is not to be ended, nor what a deadline ends.
  const isEnded = inspect === 'calls' || (inspect === 'never' && isBound(parts));
  return { look: looks[inspect ?? 'reads'], timeoutMs: isEnded ? 60_000 : 15 };
}

function readersOf(parts: Parts, probe: Probe): PolicyOptions {
  const { look, timeoutMs } = inspectOf(parts, probe);
  // A bucket that hardly refills would be empty for ever.
  const most = parts.bucket?.kind === 'fast' ? Number.MAX_VALUE : 50;
  const used = async (response: InspectedResponse): Promise<number | undefined> => {
    const { used: said } = ((await response.json()) ?? {}) as { used?: number };
    return typeof said === 'number' && said >= 0 && said < most ? said : undefined;
  };
  const actual = parts.actualCost === 'never' ? () => never : used;
  return {
    ...(parts.inspect && {
      inspect: inspectBody(faulty(parts, 'inspect', probe, look as never), { timeoutMs }),
    }),
    ...(parts.actualCost && {
      actualCost: costFromResponse(faulty(parts, 'actualCost', probe, actual), { timeoutMs: 15 }),
    }),
  };
}

function hooksOf(parts: Parts, probe: Probe, trusted: string): PolicyOptions {
  const { hook } = parts;
  if (hook === undefined) return {};
  const before = async ({ request }: { request: { url: string } }) => {
    if (hook.does === 'waits') await pause(WAITS_MS);
    if (hook.does === 'never' && isBound(parts)) await never;
    if (hook.does === 'calls' && !isSide(request)) await probe.callsItself();
    return { authorization: SECRET, 'x-secret': SECRET };
  };
  const atOnce = () => ({ authorization: SECRET, 'x-secret': SECRET });
  const trusts = { a: [trusted], 'no one': [], all: () => true };
  const asked = faulty(parts, 'trustedOrigins', probe, ({ url }: { url: string }) => url.startsWith(trusted));
  return {
    beforeAttempt: faulty(parts, 'beforeAttempt', probe, hook.does === 'returns' ? atOnce : before),
    trustedOrigins: hook.trusts === 'asked' ? asked : trusts[hook.trusts],
  };
}

/** A limit that counts what it is asked, and waits or skips once in each call, and a plugin around the sends. */
function ownParts({ own }: Parts, probe: Probe): PolicyOptions {
  const { does = 'counts' } = own ?? {};
  const count = probe.own;
  const permit = (): Permit => {
    count.held += 1;
    let holds = true;
    const left = (): void => {
      if (holds) count.held -= 1;
      holds = false;
    };
    return { cancel: left, settle: left };
  };
  const done = new WeakSet<object>();
  const counting: Limit = {
    name: 'own',
    started() {
      count.begun += 1;
    },
    take(call) {
      if (does !== 'counts' && !done.has(call)) {
        done.add(call);
        return does === 'skips' ? { skip: true } : { acquire: () => pause(WAITS_MS).then(permit) };
      }
      return permit();
    },
    ended() {
      count.ended += 1;
    },
  };
  const wrapAttempt = <T>(send: () => T): T => {
    count.arounds += 1;
    return send();
  };
  return { limits: [counting], plugins: [{ name: 'around', wrapAttempt }] };
}

/** @param trusted the origin that may have credentials */
export function optionsOf(parts: Parts, probe: Probe, trusted: string): PolicyOptions {
  const { attemptTimeoutMs, totalTimeoutMs, maxWaitMs, own, isAround, idempotencyKey, cost } = parts;
  const clock = parts.isCounted ? countingClock(probe) : undefined;
  let keys = 0;
  const keyOf = faulty(parts, 'idempotencyKey', probe, () => {
    keys += 1;
    return `key-${keys}`;
  });
  return {
    maxRetries: parts.maxRetries,
    backoff: faulty(parts, 'backoff', probe, constant(parts.backoffMs)),
    ...decidersOf(parts, probe),
    ...(cost !== undefined && { cost: faulty(parts, 'cost', probe, () => cost) }),
    ...(attemptTimeoutMs !== undefined && { attemptTimeoutMs }),
    ...(totalTimeoutMs !== undefined && { totalTimeoutMs }),
    ...(maxWaitMs !== undefined && { maxWaitMs }),
    ...limitsOf(parts, probe, clock),
    ...readersOf(parts, probe),
    ...hooksOf(parts, probe, trusted),
    ...(idempotencyKey && { idempotencyKey: keyOf }),
    ...(own && ownParts(parts, probe)),
    ...(isAround && {
      wrapAttempt: (send) => {
        probe.arounds += 1;
        return send();
      },
    }),
    ...(clock && { clock }),
    ...(parts.stopAtMs !== undefined && { stopSignal: stopAfter(parts.stopAtMs) }),
    ...(!parts.isUnobserved && {
      onEvent: faulty(parts, 'onEvent', probe, (event) => {
        probe.events.push(event);
        probe.onEvent(event);
      }),
    }),
  };
}

/** A policy with functions in place of the defaults is no plain one any more: they stand only where one is to fail. */
function decidersOf(parts: Parts, probe: Probe): PolicyOptions {
  const { methods, fault } = parts;
  const may = ({ method }: { method: string }): boolean =>
    methods === 'all' || /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method);
  return {
    ...(methods && { methods }),
    ...(fault?.hook === 'methods' && { methods: faulty(parts, 'methods', probe, may) }),
    ...(fault?.hook === 'classify' && { classify: faulty(parts, 'classify', probe, classifyHttp) }),
  };
}

function stopAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
}
