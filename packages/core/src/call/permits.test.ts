import { describe, expect, test, vi } from 'vitest';
import { callTo, lost, response } from '../../test/call-with-limits.ts';
import { throwing } from '../../test/throwing.ts';
import type { Limit, Permit } from '../policy/limit.ts';
import { retry } from '../retry/retry.ts';
import { Permits } from './permits.ts';

type Makes = (permit: () => Permit, told: string[]) => Partial<Limit>;

/** A limit that says what it is asked, and its permits, which are numbered. @param name that of one of several */
function writing(own: Makes, told: string[] = [], name = '') {
  let count = 0;
  const permit = (): Permit => {
    count += 1;
    const id = count;
    return {
      waitedMs: 0,
      cancel: () => void told.push(`cancel ${id}`),
      lapse: () => void told.push(`lapse ${id}`),
      settle: (outcome) => void told.push(`settle ${id} ${outcome.type}`),
      release: () => void told.push(`release ${id}`),
    };
  };
  const made: Limit = {
    name: 'own',
    started: () => void told.push(`started${name}`),
    take: () => undefined,
    ended: (_, reason) => void told.push(`ended${name} ${reason}`),
    ...own(permit, told),
  };
  return { told, made };
}

const takes: Makes = (permit) => ({ take: () => permit() });

test('limits that never have at once what they lack fail their request, and do not spin for ever', async () => {
  const acquire = vi.fn(async (): Promise<Permit> => ({ cancel: () => undefined }));
  const limits = ['one', 'two'].map((name) => ({ name, take: () => ({ acquire }) }));
  await expect(retry(() => 'up', { limits })).rejects.toThrow(
    'a limit still lacks what it has waited for 1,000 times',
  );
  expect(acquire).toHaveBeenCalledTimes(1_000);
});

/** The permits of a call that has not started with its limits, which write what they are asked into one list. */
function unstarted(...owns: readonly Makes[]) {
  const told: string[] = [];
  const limits = owns.map((own, at) => writing(own, told, ` ${'abc'[at]}`).made);
  const permits = new Permits(callTo().call);
  const start = (): void => {
    for (const one of limits) permits.start(one);
  };
  return { permits, start, since: () => told.splice(0).join(', ') };
}

/** The permits of a call that has started with its limits. */
function permitsOf(...owns: readonly Makes[]) {
  const { permits, start, since } = unstarted(...owns);
  start();
  since();
  return { permits, since };
}

describe('several limits', () => {
  const retryNow = { reason: 'transient', delayMs: 1 } as const;

  test('are asked in their order, and are told of the end in it', () => {
    const { permits, start, since } = unstarted(takes, () => ({}), takes);
    start();
    expect([permits.take(), since()]).toEqual([undefined, 'started a, started b, started c']);
    permits.settle(response(200));
    permits.end('success');
    expect(since()).toBe(
      'settle 1 response, settle 1 response, ended a success, ended b success, ended c success',
    );
  });

  test('if one refuses the call, those before it are told of the end', () => {
    const refuses: Makes = () => ({
      started() {
        throw new Error('no');
      },
    });
    const { permits, start, since } = unstarted(takes, refuses, takes);
    expect(start).toThrow('no');
    permits.end('final');
    expect(since()).toBe('started a, ended a final');
  });

  test('if one lacks something, those after it are not asked, and those before it give back', () => {
    const wait = { acquire: async () => ({ cancel: () => undefined }) };
    const asks: Makes = (_, told) => ({ take: () => void told.push('asked') });
    const { permits, since } = permitsOf(takes, () => ({ take: () => wait }), asks);
    expect([permits.take(), since()]).toEqual([wait, 'cancel 1']);
  });

  test('if one denies a retry, those after it are not asked, and what others gave for it goes back', () => {
    const gives: Makes = (permit, told) => ({
      planRetry() {
        told.push('asked');
        return permit();
      },
    });
    const { permits, since } = permitsOf(gives, () => ({ planRetry: () => 'budget-exhausted' }), gives);
    expect(permits.planRetry(retryNow)).toBe('budget-exhausted');
    permits.end('budget-exhausted');
    expect(since()).toBe(
      'asked, cancel 1, lapse 1, ended a budget-exhausted, ended b budget-exhausted, ended c budget-exhausted',
    );
  });

  test('what watches bodies is the first that one of them brings', () => {
    const [one, other] = [() => undefined, () => undefined];
    const watches =
      (whenBodyEnds: () => undefined): Makes =>
      () => ({ whenBodyEnds });
    expect(permitsOf(takes).permits.whenBodyEnds).toBeUndefined();
    expect(permitsOf(takes, watches(one), watches(other)).permits.whenBodyEnds).toBe(one);
  });
});

describe('a permit', () => {
  test('of an attempt that is settled is released, once', () => {
    const { permits, since } = permitsOf(takes);
    permits.take();
    permits.settle(lost);
    permits.settle({ type: 'failure', kind: 'aborted', error: undefined });
    permits.cancel();
    permits.release();
    permits.end('aborted');
    expect(since()).toBe('settle 1 failure, release 1, ended a aborted');
  });

  test('of an attempt that its call has left hears that nothing is known, once', () => {
    const { permits, since } = permitsOf(takes);
    permits.take();
    permits.end('limited');
    expect(since()).toBe('settle 1 failure, release 1, ended a limited');
    permits.settle(response(200));
    permits.cancel();
    expect(since()).toBe('');
  });

  test('of an attempt with an outcome hears of it, also if another limit fails: the first error counts', () => {
    const fails: Makes = (permit, told) => ({
      take: () => ({
        ...permit(),
        settle() {
          told.push('fails');
          throw new Error(`error ${told.length}`);
        },
      }),
    });
    const { permits, since } = permitsOf(fails, fails, takes);
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    permits.take();
    expect(permits.settle(response(200))?.error).toEqual(new Error('error 1'));
    expect(since()).toBe('fails, fails, settle 1 response');
    expect(warn.mock.calls).toMatchObject([[{ message: 'own failed, and is ignored: error 2' }]]);
    warn.mockRestore();
  });

  test('for a retry hears how that has ended', () => {
    const { permits, since } = permitsOf((permit) => ({ planRetry: () => permit() }));
    permits.planRetry({ reason: 'transient', delayMs: 1 });
    permits.settle(response(200));
    permits.end('success');
    expect(since()).toBe('settle 1 response, ended a success');
  });

  test.each<[how: string, end: (permits: Permits) => void]>([
    ['is not judged', (permits) => permits.release(undefined, lost)],
    ['its call leaves', (permits) => permits.end('limited')],
  ])('of an attempt that %s: an error is reported', (_, end) => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const settle = throwing(new Error('lost'));
    const { permits, since } = permitsOf((permit) => ({ take: () => ({ ...permit(), settle }) }), takes);
    permits.take();
    end(permits);
    expect(since()).toMatch(/^settle 1 failure, release 1, release 1/);
    expect(warn.mock.calls).toMatchObject([[{ message: 'own failed, and is ignored: lost' }]]);
    warn.mockRestore();
  });
});

describe('what holds the body of a response', () => {
  const noop = (): void => undefined;

  /** The permits of a call whose limits give these. */
  function holding(isOwn: boolean, ...given: readonly Partial<Permit>[]) {
    const { call } = callTo();
    const permits = new Permits(call);
    const made = given.map((one): Permit => ({ cancel: noop, ...one }));
    for (const one of made) permits.start({ name: 'own', take: () => one }, isOwn);
    permits.take();
    return { call, permits, made };
  }

  test.each<[what: string, isOwn: boolean, given: Partial<Permit>[], at: number | undefined]>([
    ['the first permit of the user that is released', true, [{}, { release: noop }, { release: noop }], 1],
    ['none, if no permit is released', true, [{}, {}], undefined],
    ['none of a limit of ebb, which says so itself', false, [{ release: noop }], undefined],
  ])('is %s', (_, isOwn, given, at) => {
    const { call, made } = holding(isOwn, ...given);
    expect(call.bodyHolder).toBe(at === undefined ? undefined : made[at]);
  });

  test.each(['cancel', 'release'] as const)('holds it until its %s, and no longer', (how) => {
    const { call, permits } = holding(true, { release: noop }, { release: noop });
    if (how === 'release') permits.settle(lost);
    permits[how]();
    expect(call.bodyHolder).toBeUndefined();
  });

  test.each(['cancel', 'release'] as const)(
    'stays if another one that does not hold it meets its %s',
    (how) => {
      const holder = {};
      const { call, permits } = holding(true, {}, {});
      call.bodyHolder = holder;
      if (how === 'release') permits.settle(lost);
      permits[how]();
      expect(call.bodyHolder).toBe(holder);
    },
  );
});

describe('a permit that was cancelled', () => {
  /** Gives a permit at first, and nothing after that. */
  const once: Makes = (permit, told) => ({
    take(_, earlier) {
      if (earlier) told.push('again');
      return earlier ? undefined : permit();
    },
  });

  test.each<[what: string, go: (permits: Permits) => void, told: string]>([
    [
      'lapses once, when the attempt that it may still be needed for is settled',
      (one) => one.settle(lost),
      'lapse 1',
    ],
    ['lapses when that attempt is skipped', (one) => one.skip(), 'lapse 1'],
    ['lapses with the call', (one) => one.end('aborted'), 'lapse 1, ended a aborted'],
  ])('%s', (_, go, told) => {
    const { permits, since } = permitsOf(once);
    permits.take();
    permits.cancel();
    permits.take();
    expect(since()).toBe('cancel 1, again');
    go(permits);
    expect(since()).toBe(told);
    permits.settle(lost);
    permits.skip();
    expect(since()).toBe('');
  });

  test('lapses no more once another one has taken its place', () => {
    const { permits, since } = permitsOf(takes);
    permits.take();
    permits.cancel();
    permits.take();
    permits.settle(lost);
    expect(since()).toBe('cancel 1, settle 2 failure');
  });
});

test.each<[how: string, cancel: () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('lost');
    },
  ],
  ['rejects', () => Promise.reject(new Error('lost'))],
])('a permit whose cancel %s is reported by the name of its limit, and others go back', async (_, cancel) => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const { permits, since } = permitsOf(
    (permit) => ({ take: () => ({ ...permit(), cancel }) }) as never,
    takes,
  );
  permits.take();
  permits.cancel();
  await new Promise(setImmediate);
  expect(since()).toBe('cancel 1');
  expect(warn.mock.calls).toMatchObject([[{ message: 'own failed, and is ignored: lost' }]]);
  warn.mockRestore();
});
