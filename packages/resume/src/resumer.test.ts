import type { EbbEvent, PolicyOptions, RequestTraits } from '@ebb/core';
import { setHistory } from '@ebb/core/adapter';
import { HookError } from '@ebb/core/internal';
import { virtualClock } from '@ebb/core/testing';
import { describe, expect, test } from 'vitest';
import type { ResumeFormat } from './download.ts';
import { type ResumeOptions, readResumeOptions } from './options.ts';
import { Resumer, type ResumeSource } from './resumer.ts';

const GET: RequestTraits = {
  method: 'GET',
  url: 'https://a.test/x',
  replayable: true,
  header: () => undefined,
};

const AGAIN = { again: true };
const RESET = { code: 'ECONNRESET' };

interface Given {
  readonly format?: Partial<ResumeFormat>;
  readonly request?: Partial<RequestTraits>;
  readonly options?: ResumeOptions<string>;
  readonly policy?: PolicyOptions;
  readonly ebb?: PolicyOptions;
  readonly unsafe?: string;
  readonly passedBytes?: number;
}

/** What has broken, with a format that does as it is told. */
function setUp({ format, request, options, policy, ebb, unsafe, passedBytes }: Given = {}) {
  const clock = virtualClock({ startMs: 0 });
  const events: object[] = [];
  const resumed: ResumeSource<object, string> = {
    request: { ...GET, ...request },
    ebb,
    whyUnsafe: () => unsafe,
    with: (given) => ({ with: given }),
    again: () => AGAIN,
  };
  const onEvent = ({ request: _, atMs: _1, ...event }: EbbEvent): void => void events.push(event);
  const setup = readResumeOptions<string>({
    ...options,
    policy: {
      clock,
      onEvent,
      backoff: ({ retry, previousDelayMs = 0 }) => retry * 100 + previousDelayMs,
      ...policy,
    },
  });
  const begun: string[] = [];
  const told = {
    ...{ isDone: false, mayEnd: true, lost: undefined, headers: {} },
    take: (part: Uint8Array) => [part],
    left: () => [],
    mismatch: () => undefined,
    begin: () => void begun.push('begin'),
    ...format,
  };
  const resumer = new Resumer(told, setup, resumed, passedBytes);
  const error = new TypeError('terminated', { cause: RESET });
  const made = {};
  const controller = new AbortController();
  const next = () => resumer.next(error, 'broken', made, controller.signal);
  return { clock, events, resumer, error, made, controller, next, begun };
}

/** Why an error says that nothing was resumed, and the cause that it had before. */
const whyOf = (error: unknown): unknown[] => {
  const { cause } = error as { cause: Error };
  return [cause.message, cause.cause];
};

test('a resumer has the clock of its policy, and knows of no end', () => {
  const { resumer, clock } = setUp();
  clock.tick(5);
  expect([resumer.clock.now(), resumer.isOver]).toEqual([5, false]);
});

describe('what is passed on', () => {
  test('no empty part, which a stream of bytes does not take', () => {
    const { resumer } = setUp({ format: { take: () => expect.fail('taken') } });
    expect(resumer.take(new Uint8Array(0), () => undefined)).toEqual([]);
  });

  test('not what cannot be of the rest', () => {
    const { resumer, error } = setUp({ format: { take: () => undefined } });
    expect(() => resumer.take(new Uint8Array(1), () => error)).toThrow(error);
    expect(whyOf(error)).toEqual(['not resumed: more than its range', RESET]);
  });
});

describe('the end of a response', () => {
  test.each<
    [
      isDone: boolean,
      mayEnd: boolean,
      isOver: boolean,
      resumeAtEnd: boolean,
      lost: boolean,
      is: boolean | string,
    ]
  >([
    [true, false, false, true, false, true],
    [false, true, false, false, false, true],
    [false, true, false, true, false, false],
    [false, true, false, true, true, true],
    [false, true, true, true, false, true],
    [false, false, false, false, false, false],
    [false, false, false, false, true, false],
    [false, false, true, false, false, 'not resumed: a 204'],
    [true, false, true, false, false, true],
  ])(
    'done %s, may end %s, over %s, resumeAtEnd %s, lost %s: %s',
    (isDone, mayEnd, isOver, resumeAtEnd, lost, is) => {
      const { resumer, error } = setUp({
        format: { isDone, mayEnd, lost: lost ? 'lost' : undefined },
        options: { resumeAtEnd },
      });
      resumer.isOver = isOver;
      if (typeof is === 'boolean') expect(resumer.ended(error)).toBe(is);
      else {
        expect(() => resumer.ended(error)).toThrow(error);
        expect(whyOf(error)).toEqual([is, RESET]);
      }
    },
  );
});

describe('the request for the rest', () => {
  const resumeWith = (lastId: string) => (lastId === '' ? undefined : lastId);

  test.each<[story: string, given: Given, rest: object]>([
    ['a GET again', {}, AGAIN],
    ['what resumeWith makes', { format: { lastId: '7' }, options: { resumeWith } }, { with: '7' }],
    [
      'also for a POST',
      { format: { lastId: '7' }, options: { resumeWith }, request: { method: 'POST' } },
      { with: '7' },
    ],
    ['the same GET, if that makes none', { format: { lastId: '' }, options: { resumeWith } }, AGAIN],
    ['the same GET before the first id', { options: { resumeWith: () => 'never' } }, AGAIN],
    ['a GET again, if no timeout covers the body', { policy: { totalTimeoutCovers: 'body' } }, AGAIN],
    ['the same GET without it', { format: { lastId: '7' } }, AGAIN],
  ])('is %s', async (_, given, rest) => {
    const { next, clock } = setUp(given);
    const asked = next();
    await clock.advance(100);
    expect(await asked).toMatchObject({ rest, ebb: undefined });
  });

  test.each<[story: string, given: Given, why: string]>([
    ['a format that is lost', { format: { lost: 'lost' }, unsafe: 'unsafe' }, 'lost'],
    ['an unsafe place', { unsafe: 'unsafe' }, 'unsafe'],
    ['a POST', { request: { method: 'POST' } }, 'a POST is not sent again'],
    ['a body that is a stream', { request: { replayable: false } }, 'a GET is not sent again'],
    ['no resumptions', { options: { maxResumes: 0 } }, '0 resumptions in a row'],
    [
      'a total timeout with the body in it',
      { policy: { totalTimeoutMs: 5_000, totalTimeoutCovers: 'body' } },
      'a body within a total timeout',
    ],
    [
      'that of the request itself',
      { ebb: { totalTimeoutMs: 5_000, totalTimeoutCovers: 'body' } },
      'a body within a total timeout',
    ],
    ['a backoff that ends', { policy: { backoff: () => undefined } }, 'too long a wait'],
    ['a wait as long as the timeout', { policy: { totalTimeoutMs: 100 } }, 'too long a wait'],
    [
      'a wait that the policy does not obey',
      { format: { retryMs: 5_001 }, policy: { retryAfter: { maxMs: 5_000 } } },
      'too long a wait',
    ],
  ])('there is none for %s', async (_, given, why) => {
    const { next, error, events } = setUp(given);
    await expect(next()).rejects.toBe(error);
    expect(whyOf(error)).toEqual([`not resumed: ${why}`, RESET]);
    expect(events).toEqual([{ type: 'resume-end', result: 'refused', passedBytes: 0, attempt: 0 }]);
  });

  test('resumeWith that throws, and a backoff that does', async () => {
    const broken = (): never => {
      throw new Error('defect');
    };
    const options = { resumeWith: broken };
    await expect(setUp({ format: { lastId: '7' }, options }).next()).rejects.toThrow(
      'resumeWith failed: defect',
    );
    await expect(setUp({ policy: { backoff: broken } }).next()).rejects.toThrow(HookError);
  });

  test.each<[story: string, given: Given, delayMs: number, totalTimeoutMs?: number]>([
    ['the backoff', {}, 100],
    ['what the server asks for', { format: { retryMs: 7 } }, 7],
    ['nothing, if it asks for that', { format: { retryMs: 0 } }, 0],
    [
      'as long as the policy obeys',
      { format: { retryMs: 5_001 }, policy: { retryAfter: { maxMs: 5_000, then: 'cap' } } },
      5_000,
    ],
    ['the backoff of the request itself', { ebb: { backoff: () => 3 } }, 3],
    ['less than the timeout, which has the rest', { policy: { totalTimeoutMs: 101 } }, 100, 1],
  ])('waits for %s', async (_, given, delayMs, totalTimeoutMs) => {
    const { next, clock, error, events } = setUp(given);
    let isOver = false;
    const asked = next().finally(() => {
      isOver = true;
    });
    if (delayMs > 0) {
      await clock.advance(delayMs - 1);
      expect(isOver).toBe(false);
      await clock.advance(1);
    }
    expect(await asked).toEqual({
      rest: AGAIN,
      ebb: totalTimeoutMs === undefined ? given.ebb : { totalTimeoutMs },
      resumption: { reason: 'broken', error, passedBytes: 0, delayMs },
    });
    const outcome = { type: 'failure', kind: 'network' };
    expect(events).toMatchObject([
      { type: 'resume', reason: 'broken', passedBytes: 0, delayMs, outcome, attempt: 0 },
    ]);
  });

  test('the count of those that brought nothing begins again with a byte, and the delays go on', async () => {
    const { next, clock, resumer, error } = setUp({ options: { maxResumes: 2 }, passedBytes: 5 });
    const delayed = async (): Promise<unknown> => {
      const asked = next();
      await clock.advance(10_000);
      const { delayMs, passedBytes } = (await asked).resumption;
      return [delayMs, passedBytes];
    };
    expect(await delayed()).toEqual([100, 5]);
    expect(await delayed()).toEqual([300, 5]);
    resumer.take(new Uint8Array(3), () => undefined);
    expect(await delayed()).toEqual([400, 8]);
    expect(await delayed()).toEqual([600, 8]);
    await expect(next()).rejects.toBe(error);
    expect(whyOf(error)[0]).toBe('not resumed: 2 resumptions in a row');
  });

  test('an abort ends the wait, also by an observer', async () => {
    const { next, controller, clock } = setUp();
    const asked = next();
    controller.abort('enough');
    await expect(asked).rejects.toBe('enough');
    expect(clock.pending).toBe(0);
    const observed = setUp({
      policy: { backoff: () => 0, onEvent: () => observed.controller.abort('seen') },
    });
    await expect(observed.next()).rejects.toBe('seen');
  });
});

describe('the response to it', () => {
  test.each<
    [story: string, status: number, mayEnd: boolean, passedBytes: number, result: string, isOver: boolean]
  >([
    ['a rest', 206, false, 5, 'continued', false],
    ['all of it', 206, false, 0, 'restarted', false],
    ['no more', 204, true, 5, 'continued', true],
    ['no more, before the last event', 204, false, 5, 'refused', true],
  ])('%s', async (_, status, mayEnd, passedBytes, result, isOver) => {
    const { resumer, next, clock, events, begun, error, made } = setUp({ format: { mayEnd }, passedBytes });
    const asked = next();
    await clock.advance(100);
    await asked;
    setHistory(made, [{}, {}] as never);
    resumer.began(status, () => undefined, error);
    expect(events.slice(1)).toEqual([{ type: 'resume-end', result, passedBytes, attempt: 2 }]);
    expect([resumer.isOver, begun]).toEqual([isOver, ['begin']]);
  });

  test.each<[why: string, given: Given]>([
    ['another range', { format: { mismatch: () => 'another range' }, unsafe: 'unsafe' }],
    ['unsafe', { unsafe: 'unsafe' }],
  ])('is refused: %s', (why, given) => {
    const { resumer, error, begun, events } = setUp(given);
    expect(() => resumer.began(206, () => undefined, error)).toThrow(error);
    expect([whyOf(error), begun]).toEqual([[`not resumed: ${why}`, RESET], []]);
    // Nothing was told of the break yet.
    expect(events).toEqual([]);
  });
});

test('an error that cannot be written to is thrown as it is', () => {
  const { resumer } = setUp();
  const frozen = Object.freeze(new Error('x'));
  expect(resumer.refuse(frozen, 'why')).toBe(frozen);
  expect(resumer.refuse('text', 'why')).toBe('text');
  const error = new Error('x', { cause: 'own' });
  expect(whyOf(resumer.refuse(error, 'why', 'given'))).toEqual(['not resumed: why', 'given']);
  expect(whyOf(resumer.refuse(error, undefined, 0))).toEqual(['not resumed: ', 0]);
  // Its owner may write to it again.
  error.cause = 'mine';
  expect(error.cause).toBe('mine');
});
