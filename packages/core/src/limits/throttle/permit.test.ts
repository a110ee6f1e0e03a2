import { describe, expect, test, vi } from 'vitest';
import { late, lost, REQUEST, response } from '../../../test/call-with-limits.ts';
import type { EbbEvent } from '../../events/events.ts';
import type { FailureKind, Outcome } from '../../http/outcome.ts';
import type { CallView } from '../../policy/call-view.ts';
import type { Limit, Permit } from '../../policy/limit.ts';
import { virtualClock } from '../../testing.ts';
import type { ThrottleRule } from './rule.ts';
import { adaptiveThrottle, type ThrottleOptions } from './throttle.ts';

function setUp(options: ThrottleOptions = {}) {
  const clock = virtualClock({ startMs: 1e6 });
  const own = adaptiveThrottle(options);
  const limit = own.limit.limit as Limit;
  const events: EbbEvent[] = [];
  const policy = { clock, maxRetries: 5, random: () => 0, attemptTimeoutMs: 1_000 };
  type Changes = Partial<Omit<CallView, 'policy'>> & { readonly policy?: object };
  const call = ({ policy: changed, ...more }: Changes = {}): CallView =>
    ({
      ...{ request: REQUEST, attempt: 0, ...more },
      policy: { ...policy, ...changed },
      emit: (event: EbbEvent) => void events.push(event),
    }) as never;
  const { rule } = Object(own).classes.of(`${REQUEST.method} ${REQUEST.url}`, () => 0) as {
    rule: ThrottleRule;
  };
  return { clock, own, limit, call, events, rule };
}

/** What the rule is told, with the share of the timeout that an answer took. */
function toldTo(rule: ThrottleRule): string[] {
  const told: string[] = [];
  vi.spyOn(rule, 'learn').mockImplementation((_atMs, failed, isRetry, lateness) => {
    told.push(`${failed ? 'failed' : `answered ${lateness}`}${isRetry ? ', a retry' : ''}`);
  });
  vi.spyOn(rule, 'giveBack').mockImplementation(
    (_atMs, occasion) => void told.push(`given back ${occasion}`),
  );
  return told;
}

const failed = (kind: FailureKind): Outcome => ({ type: 'failure', kind, error: undefined });

describe('a scheduled attempt that was let through', () => {
  const retries = { attempt: 1, toRetry: lost };

  const steps = {
    wait: (permit: Required<Permit>) => permit.cancel(),
    lapse: (permit: Required<Permit>) => permit.lapse(),
    answer: (permit: Required<Permit>) => permit.settle(response(200)),
    timeout: (permit: Required<Permit>) => permit.settle(late),
    abort: (permit: Required<Permit>) => permit.settle(failed('aborted')),
    mistake: (permit: Required<Permit>) => permit.settle(failed('unknown')),
  };

  test.each<[story: string, more: object, script: (keyof typeof steps)[], told: string]>([
    ['is sent, and aborted: it says nothing, and is spent', retries, ['abort', 'lapse'], ''],
    ['lapses once', retries, ['lapse', 'lapse'], 'given back after-failure'],
    [
      'is ended by a timeout, which is a failure',
      { attempt: 2, toRetry: lost },
      ['timeout', 'lapse'],
      'failed, a retry',
    ],
    ['has an outcome: a lapse says no more', { attempt: 1 }, ['answer', 'lapse'], 'answered 0'],
    ['has an outcome that says nothing: there is nothing to give back', {}, ['mistake', 'lapse'], ''],
    ['is paid by a budget, and not sent', { ...retries, policy: { budget: {} } }, ['lapse'], ''],
    [
      'is a retry after a timeout, and not sent',
      { attempt: 1, toRetry: late },
      ['lapse'],
      'given back after-timeout',
    ],
    ['is a hedge, and not sent', { attempt: 1, toRetry: undefined }, ['lapse'], 'given back after-failure'],
  ])('%s', (_, more, script, expected) => {
    const { limit, call, rule } = setUp();
    // Prompt answers, which pay for retries.
    for (let at = 0; at < 1_000; at += 1) rule.learn(1e6, false, false, 0);
    const permit = limit.take?.(call(more), undefined) as Required<Permit>;
    expect(permit).not.toHaveProperty('skip');
    const told = toldTo(rule);
    for (const step of script) steps[step](permit);
    expect(told.join(', ')).toBe(expected);
  });

  test('is let through again once another limit was waited for, and its time counts from then', () => {
    const { clock, limit, call, rule } = setUp();
    const view = call();
    const permit = limit.take?.(view, undefined) as Required<Permit>;
    permit.cancel();
    clock.tick(5_000);
    expect(limit.take?.(view, permit)).toBe(permit);
    clock.tick(250);
    const told = toldTo(rule);
    permit.settle(response(200));
    expect(told).toEqual(['answered 0.25']);
  });
});

const endless = { policy: { attemptTimeoutMs: undefined } };

test.each<[story: string, more: object, failures: number, reads: boolean]>([
  ['without a timeout, while all is calm', endless, 2, false],
  ['without a timeout, in trouble', endless, 3, true],
  ['with a timeout', {}, 0, true],
  ['before a retry', { attempt: 1, ...endless }, 0, true],
])('the clock is read for an attempt %s: %#', (_, more, failures, reads) => {
  const { clock, limit, call, rule } = setUp();
  for (let at = 0; at < failures; at += 1) rule.learn(1e6, true, false, 0);
  const now = vi.spyOn(clock, 'now');
  limit.take?.(call(more), undefined);
  expect(now.mock.calls.length > 0).toBe(reads);
});

test.each<[status: number, attemptTimeoutMs: number | undefined, lateness: number]>([
  [503, 1_000, 0.9],
  [200, 1_000, 0.9],
  [200, undefined, 0],
])(
  'an attempt that ends with %d, and may take %s ms, is as late as %d',
  (status, attemptTimeoutMs, lateness) => {
    const { clock, limit, call, rule } = setUp();
    const learn = vi.spyOn(rule, 'learn');
    const permit = limit.take?.(call({ policy: { attemptTimeoutMs } }), undefined) as Required<Permit>;
    clock.tick(900);
    permit.settle(response(status));
    expect(learn).toHaveBeenCalledWith(clock.now(), status === 503, false, lateness);
  },
);

test.each([undefined, 1_000])(
  'a timeout is late, also of the call: an attempt may take %s ms',
  (attemptTimeoutMs) => {
    const { clock, limit, call, rule } = setUp();
    const permit = limit.take?.(call({ policy: { attemptTimeoutMs } }), undefined) as Required<Permit>;
    clock.tick(100);
    permit.settle(late);
    expect(rule.isPrompt).toBe(false);
  },
);

describe('in trouble, with nothing to pay for an attempt', () => {
  function inTrouble(lateness = 0.4, options: ThrottleOptions = {}) {
    const set = setUp(options);
    for (let at = 0; at < 4; at += 1) set.rule.learn(1e6 + 1_000 * at, true, false, 0);
    set.rule.learn(1e6 + 4_000, false, false, lateness);
    vi.spyOn(set.rule, 'take').mockReturnValue(false);
    return set;
  }

  const noTime = { deadline: { leftMs: 999 } };

  test.each<
    [
      story: string,
      more: object,
      next: number | 'none' | 'sent',
      lateness?: number,
      options?: ThrottleOptions,
    ]
  >([
    ['has time for its next scheduled attempt', { deadline: { leftMs: 1_000 } }, 1_000],
    ['has no time for it, after a prompt answer', noTime, 'sent'],
    ['has no time for it, after a late answer', noTime, 1_000, 0.6],
    ['has no total timeout', {}, 1_000],
    ['is a retry without time for it', { attempt: 1, ...noTime }, 2_000],
    ['follows one that was sent at once', { attempt: 1, wasAtOnce: true, ...noTime }, 1_000],
    ['has no retries', { policy: { maxRetries: 0 }, ...noTime }, 'none'],
    ['must not wait', noTime, 'none', 0.4, { whenSkipped: 'fail' }],
  ])('a request that %s: %#', (_, more, next, lateness, options) => {
    const { limit, call } = inTrouble(lateness, options);
    const taken = limit.take?.(call(more), undefined);
    if (next === 'sent') expect(taken).toHaveProperty('settle');
    else expect(taken).toEqual({ skip: true, delayMs: next === 'none' ? undefined : next });
  });
});

test.each<[attempt: number, skipped: number | undefined, maxRetries: number, reason: string | undefined]>([
  [1, undefined, 5, undefined],
  [4, 1, 5, undefined],
  [4, 2, 5, 'retries-exhausted'],
  [1, 5, 1, 'retries-exhausted'],
  [6, 1, 7, undefined],
  [6, 2, 7, 'retries-exhausted'],
])(
  'after attempt %d and %s skipped ones, with maxRetries %d, a retry is planned: %s',
  (attempt, skipped, maxRetries, reason) => {
    const { limit, call } = setUp();
    const view = call({ attempt, policy: { maxRetries }, ...(skipped !== undefined && { skipped }) });
    expect(limit.planRetry?.(view, { reason: 'transient', delayMs: 1 })).toBe(reason);
  },
);

test.each([
  [6, undefined],
  [7, 'retries-exhausted'],
])('an attempt that was sent at once is no retry: after attempt %d, %s', (attempt, reason) => {
  const { limit, call } = setUp();
  const view = call({ attempt, wasAtOnce: true, policy: { maxRetries: 5 } });
  expect(limit.planRetry?.(view, { reason: 'transient', delayMs: 1 })).toBe(reason);
});

describe('an event', () => {
  /** Attempts with these outcomes, one a second. */
  function eventsOf(outcomes: readonly Outcome[], policy = {}) {
    const { clock, limit, call, events } = setUp();
    for (const outcome of outcomes) {
      const view = call({ policy });
      limit.started?.(view);
      const permit = limit.take?.(view, undefined) as Required<Permit>;
      if ('skip' in permit) continue;
      permit.settle(outcome);
      clock.tick(1_000);
    }
    return events;
  }

  test.each<[story: string, outcomes: Outcome[], failures: string[], retryAllowance: string]>([
    ['the last is a refusal', [late, late, response(503)], ['timeout', 'timeout', '503'], 'reserve'],
    ['the last is a timeout', [response(500), lost, late], ['500', 'network', 'timeout'], 'successes'],
    [
      'answers are left out',
      [lost, response(200), lost, late, lost],
      ['network', 'timeout', 'network'],
      'reserve',
    ],
  ])('names the last failures: %s', (_, outcomes, failures, retryAllowance) => {
    expect(eventsOf(outcomes)[0]).toMatchObject({
      type: 'throttle',
      state: 'half-open',
      failures,
      retryAllowance,
    });
  });

  test('says that a budget pays for retries', () => {
    expect(eventsOf([late, late, late], { budget: {} })[0]).toMatchObject({ retryAllowance: 'budget' });
  });
});
