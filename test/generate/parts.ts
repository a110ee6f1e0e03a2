import type { ClientName } from './case.ts';
import type { Draw } from './draw.ts';
import type { Behaviour } from './step.ts';

/** A timeout that no case reaches, in milliseconds: its timer would be left. */
const LONG_MS = 30_000;

/** What user code does that a policy calls. */
const HOOKS = [
  'classify',
  'backoff',
  'cost',
  'beforeAttempt',
  'inspect',
  'actualCost',
  'onEvent',
  'fairKey',
  'methods',
  'idempotencyKey',
  'trustedOrigins',
  'keyOf',
] as const;

export type Hook = (typeof HOOKS)[number];

/** What the policy of a case has. All of it is plain data: `policy.ts` makes the options. */
export interface Parts {
  readonly maxRetries: number;
  readonly backoffMs: number;
  readonly methods?: 'all';
  readonly attemptTimeoutMs?: number;
  readonly totalTimeoutMs?: number;
  readonly maxWaitMs?: number;
  /** `'still'`: never binds, and counts exactly. `'tiny'`: a few tokens, and no more. `'fast'`: binds for milliseconds. */
  readonly bucket?: {
    readonly kind: 'still' | 'tiny' | 'fast';
    readonly nonConforming: 'delay' | 'reject' | 'mark';
    readonly isPerKey?: true;
    readonly isSettled?: true;
  };
  readonly concurrency?: { readonly max: number; readonly maxQueue?: number; readonly isPerKey?: true };
  /** Of the queues of both. */
  readonly queue?: 'fair' | 'priority';
  readonly cost?: number;
  readonly isBudgeted?: true;
  readonly isThrottled?: true;
  readonly inspect?: 'reads' | 'judges' | 'never' | 'calls' | 'first-event';
  readonly actualCost?: 'reads' | 'never';
  readonly hedge?: { readonly delayMs: number; readonly max: number };
  readonly isResuming?: true;
  readonly hook?: {
    readonly does: 'returns' | 'waits' | 'calls' | 'never';
    readonly trusts: 'a' | 'no one' | 'all' | 'asked';
  };
  readonly idempotencyKey?: true;
  /** A part of the user's. `'waits'` lacks something at first; `'skips'` skips the first chance. */
  readonly own?: {
    readonly does: 'counts' | 'waits' | 'skips';
  };
  readonly isAround?: true;
  readonly stopAtMs?: number;
  /** A second client of ebb below, with the same policy or with one of its own. */
  readonly layer?: 'same' | 'other';
  /** Of undici: who follows redirects, if anyone. */
  readonly redirects?: 'above' | 'below';
  readonly isUndici7?: true;
  /** Of undici: what is below reports failures without an error. */
  readonly isBlank?: true;
  /** A hook that throws with attempt `at`, or returns something wrong. */
  readonly fault?: {
    readonly hook: Hook;
    readonly does: 'throws' | 'rejects' | 'returns undefined';
    readonly at: number;
  };
  /** What the body factory does before it returns. */
  readonly factory?: 'calls' | 'throws' | 'waits';
  /** A clock of the user's, which counts its timers. */
  readonly isCounted?: true;
  readonly responseType?: 'stream';
  /** No one listens to events: a plain policy then takes a shorter way. */
  readonly isUnobserved?: true;
}

function drawLimits(draw: Draw): Partial<Parts> {
  const bucket = draw.maybe(0.35, () => ({
    kind: draw.pick(['still', 'still', 'tiny', 'fast', 'fast'] as const),
    nonConforming: draw.pick(['delay', 'delay', 'reject', 'mark'] as const),
    ...(draw.chance(0.2) && { isPerKey: true as const }),
    ...(draw.chance(0.15) && { isSettled: true as const }),
  }));
  const concurrency = draw.maybe(0.35, () => ({
    max: draw.pick([1, 1, 2, 9]),
    ...(draw.chance(0.2) && { maxQueue: draw.below(2) }),
    ...(draw.chance(0.2) && { isPerKey: true as const }),
  }));
  return {
    ...(bucket && { bucket }),
    ...(concurrency && { concurrency }),
    ...((bucket ?? concurrency) && draw.chance(0.25) && { queue: draw.pick(['fair', 'priority'] as const) }),
    ...(draw.chance(0.2) && { cost: draw.pick([0.5, 2, 3]) }),
    ...(draw.chance(0.12) && { isBudgeted: true as const }),
    ...(draw.chance(0.08) && { isThrottled: true as const }),
  };
}

function drawTimes(draw: Draw): Partial<Parts> {
  return {
    ...(draw.chance(0.3) && { attemptTimeoutMs: draw.pick([5, 25, 25, 60, LONG_MS]) }),
    ...(draw.chance(0.3) && { totalTimeoutMs: draw.pick([1, 15, 40, 80, 150, LONG_MS]) }),
    ...(draw.chance(0.06) && { maxWaitMs: draw.pick([0, 3, 20]) }),
    ...(draw.chance(0.04) && { stopAtMs: draw.pick([0, 2, 10]) }),
    ...(draw.chance(0.15) && { isCounted: true as const }),
  };
}

function drawHooks(draw: Draw): Partial<Parts> {
  return {
    ...(draw.chance(0.2) && {
      hook: {
        does: draw.pick(['returns', 'returns', 'returns', 'waits', 'calls', 'never'] as const),
        trusts: draw.pick(['a', 'a', 'no one', 'all', 'asked'] as const),
      },
    }),
    ...(draw.chance(0.12) && { idempotencyKey: true as const }),
    ...(draw.chance(0.12) && {
      own: {
        does: draw.pick(['counts', 'counts', 'waits', 'skips'] as const),
      },
    }),
    ...(draw.chance(0.1) && { isAround: true as const }),
    ...(draw.chance(0.5) &&
      draw.maybe(0.3, () => ({ factory: draw.pick(['calls', 'throws', 'waits'] as const) }))),
  };
}

function drawReaders(draw: Draw): Partial<Parts> {
  return {
    ...(draw.chance(0.2) && {
      inspect: draw.pick(['reads', 'reads', 'judges', 'never', 'calls', 'first-event'] as const),
    }),
    ...(draw.chance(0.12) && { actualCost: draw.pick(['reads', 'reads', 'never'] as const) }),
    ...(draw.chance(0.12) && { hedge: { delayMs: draw.pick([0, 1, 3, 8]), max: 1 + draw.below(2) } }),
    ...(draw.chance(0.15) && { isResuming: true as const }),
    ...(draw.chance(0.1) && { layer: draw.pick(['same', 'other'] as const) }),
  };
}

/** The hooks that the policy with these parts has. */
function hooksOf({
  cost,
  hook,
  inspect,
  actualCost,
  queue,
  bucket,
  concurrency,
  idempotencyKey,
}: Parts): readonly Hook[] {
  return [
    'classify',
    'backoff',
    'methods',
    'onEvent',
    ...(cost ? (['cost'] as const) : []),
    ...(hook ? (['beforeAttempt'] as const) : []),
    ...(hook?.trusts === 'asked' ? (['trustedOrigins'] as const) : []),
    ...(inspect ? (['inspect'] as const) : []),
    ...(actualCost ? (['actualCost'] as const) : []),
    ...(queue === 'fair' ? (['fairKey', 'fairKey'] as const) : []),
    ...((bucket?.isPerKey ?? concurrency?.isPerKey) ? (['keyOf'] as const) : []),
    ...(idempotencyKey ? (['idempotencyKey'] as const) : []),
  ];
}

/** A few of all parts, and now and then a hook of theirs that fails. */
export function drawParts(draw: Draw, client: ClientName): Parts {
  const parts = drawSound(draw, client);
  const fault = draw.maybe(0.08, () => ({
    hook: draw.pick(hooksOf(parts)),
    does: draw.pick(['throws', 'throws', 'rejects', 'returns undefined'] as const),
    at: 1 + draw.below(2),
  }));
  return fault ? { ...parts, fault } : parts;
}

function drawSound(draw: Draw, client: ClientName): Parts {
  const isDispatched =
    client.startsWith('undici-') && client !== 'undici-fetch' ? true : client === 'dispatcher-fetch';
  return {
    maxRetries: draw.pick([0, 1, 1, 2, 3, 4]),
    backoffMs: draw.pick([0, 0, 1, 3]),
    ...(draw.chance(0.1) && { methods: 'all' as const }),
    ...drawLimits(draw),
    ...drawTimes(draw),
    ...drawHooks(draw),
    ...drawReaders(draw),
    ...(draw.chance(0.15) && { isUnobserved: true as const }),
    ...(isDispatched && draw.chance(0.4) && { redirects: draw.pick(['above', 'below'] as const) }),
    ...(isDispatched && draw.chance(0.3) && { isUndici7: true as const }),
    ...(isDispatched && draw.chance(0.08) && { isBlank: true as const }),
    ...(client.startsWith('axios') && draw.chance(0.3) && { responseType: 'stream' as const }),
  };
}

/** True if a timeout ends what never settles. */
export function isBound({ attemptTimeoutMs = LONG_MS, totalTimeoutMs = LONG_MS }: Parts): boolean {
  return Math.min(attemptTimeoutMs, totalTimeoutMs) < LONG_MS;
}

/** What servers do that concerns these parts. */
export function favouredBy({ actualCost, isResuming, inspect, hook, hedge }: Parts): readonly Behaviour[] {
  return [
    ...(actualCost ? (['usage', 'usage', 'events', 'reset-in-body'] as const) : []),
    ...(isResuming ? (['events-cut', 'file-cut', 'lie', 'etag-changed'] as const) : []),
    ...(inspect ? (['reset-in-body', 'close-in-body', 'slow', 'events'] as const) : []),
    ...(hook ? (['redirect', 'redirect-away'] as const) : []),
    ...(hedge ? (['late', 'slow', 'silent'] as const) : []),
  ];
}
