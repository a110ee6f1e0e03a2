import { describe, expect, test, vi } from 'vitest';
import { NotSentError } from '../base/errors.ts';
import type { RequestTraits } from '../http/outcome.ts';
import type { AcquireOptions } from '../policy/contracts.ts';
import { virtualClock } from '../testing.ts';
import { fairQueue } from './fair-queue.ts';
import { fifo } from './fifo.ts';
import type { WaitingSetup } from './options.ts';
import { priorityQueue } from './order.ts';
import { SteadyTime } from './time.ts';
import { type Gate, WaitQueue } from './wait-queue.ts';

type Supply = NonNullable<WaitQueue<string>['supply']>;

type Options = Partial<WaitingSetup> & { tokens?: number; supply?: Partial<Supply> };

/** A limit with so many tokens, which come by hand. */
function setUp({ tokens = 0, supply, ...options }: Options = {}) {
  const clock = virtualClock({ startMs: 0 });
  const limit = { tokens };
  const endless = Number.POSITIVE_INFINITY;
  const setup: WaitingSetup = { maxQueue: endless, maxWaitMs: endless, queue: fifo, ...options };
  /** How long each that was granted had waited. */
  const waited: number[] = [];
  const waiting = new WaitQueue<string>(setup, new SteadyTime(clock), (cost, waitedMs) => {
    if (limit.tokens < (cost as number)) return undefined;
    limit.tokens -= cost as number;
    waited.push(waitedMs);
    return 'granted';
  });
  if (supply)
    waiting.supply = {
      capacity: endless,
      waitMs: () => 0,
      dueMs: () => endless,
      pausedMs: () => 0,
      ...supply,
    } as Supply;
  /** What became of each, in order. */
  const lines: string[] = [];
  const errors: NotSentError[] = [];
  const ask = (name: string, cost: number, asked: AcquireOptions = {}): void => {
    const asking = (): Promise<string> => {
      try {
        return waiting.acquire(asked, cost);
      } catch (error) {
        return Promise.reject(error);
      }
    };
    asking().then(
      (result) => void lines.push(`${name} ${result}`),
      (error) => {
        lines.push(`${name} ${error instanceof NotSentError ? error.reason : error}`);
        errors.push(error);
      },
    );
  };
  const settle = () => new Promise(setImmediate);
  return { clock, limit, waiting, lines, errors, ask, settle, waited };
}

describe('a gate', () => {
  /** Is closed until a time. */
  class TimedGate implements Gate<string> {
    declare line?: NonNullable<Gate<string>['line']>;
    untilMs: number;

    constructor(untilMs: number) {
      this.untilMs = untilMs;
    }

    passMs(_cost: unknown, nowMs: number): number {
      return this.pausedMs(nowMs);
    }

    pausedMs(nowMs: number): number {
      return Math.max(0, this.untilMs - nowMs);
    }
  }

  const to = (url: string): AcquireOptions => ({ request: { method: 'GET', url } as RequestTraits });

  /** A limit with these gates, for the requests of which the URL is their name. */
  function gated(gates: Readonly<Record<string, TimedGate>>, options?: Options) {
    const set = setUp(options);
    const crowded = new Set<Gate<string>>();
    set.waiting.gates = { of: (request) => gates[request?.url ?? ''], crowded };
    return { ...set, crowded };
  }

  test('that its last request has passed is not kept', async () => {
    const { clock, limit, waiting, lines, ask, settle, crowded } = gated({ a: new TimedGate(100) });
    ask('one', 1, to('a'));
    expect([crowded.size, waiting.apart, waiting.size, waiting.cost]).toEqual([1, 1, 1, 1]);
    limit.tokens = 1;
    await clock.advance(100);
    await settle();
    expect([lines, limit.tokens]).toEqual([['one granted'], 0]);
    expect([crowded.size, waiting.apart, waiting.size, waiting.cost]).toEqual([0, 0, 0, 0]);
  });

  test.each<[maxWaitMs: number, line: string]>([
    [99, 'one wait-too-long at 40'],
    [100, 'one granted at 100'],
  ])(
    'that closes meanwhile keeps a request of the queue, unless it waits for %d ms',
    async (maxWaitMs, line) => {
      const gate = new TimedGate(0);
      const { clock, limit, waiting, ask, settle, lines } = gated({ a: gate });
      const remove = vi.spyOn(waiting.queue, 'remove');
      ask('one', 1, { ...to('a'), maxWaitMs });
      clock.tick(40);
      gate.untilMs = 100;
      waiting.serve();
      limit.tokens = 1;
      await settle();
      if (lines.length === 0) {
        // It was not served.
        expect(remove.mock.calls).toEqual([[expect.anything(), false]]);
        expect([waiting.apart, clock.nextAtMs]).toEqual([1, 100]);
        await clock.advance(60);
        await settle();
      }
      expect(`${lines} at ${clock.now()}`).toBe(line);
    },
  );

  test('that opens with another one lets the request go that has waited longest', async () => {
    const { clock, limit, waiting, lines, ask, settle } = gated({
      a: new TimedGate(100),
      b: new TimedGate(100),
    });
    ask('first', 1, to('a'));
    clock.tick(5);
    ask('second', 1, to('b'));
    clock.tick(5);
    ask('third', 1, to('a'));
    clock.tick(100);
    for (const _ of [1, 2]) {
      limit.tokens += 1;
      waiting.serve();
    }
    await settle();
    expect(lines).toEqual(['first granted', 'second granted']);
  });

  test('that stays closed for longer refuses whom it keeps waiting for too long, one by one', async () => {
    const gate = new TimedGate(40);
    const { clock, waiting, ask, settle, lines } = gated({ a: gate });
    for (const maxWaitMs of [50, 90, 100, 150]) ask(`${maxWaitMs}`, 1, { ...to('a'), maxWaitMs });
    ask('other', 1, { maxWaitMs: 95 });
    clock.tick(10);
    gate.untilMs = 95;
    waiting.gateClosed(gate);
    await settle();
    expect(lines).toEqual(['50 wait-too-long', '90 wait-too-long']);
    gate.untilMs = 120;
    // The deadline of the other one.
    await clock.advance(85);
    await settle();
    expect(lines.slice(2).toSorted()).toEqual(['100 wait-too-long', 'other wait-too-long']);
    expect(waiting.size).toBe(1);
  });
});

describe('a request whose signal aborts unheard holds up no other', () => {
  test.each<[string, (signal: AbortController) => WaitingSetup['queue']]>([
    [
      'because another listener stops the event',
      ({ signal }) => {
        signal.addEventListener('abort', (event) => event.stopImmediatePropagation());
        return fifo;
      },
    ],
    [
      'because the weight of its key aborts it',
      (abort) =>
        fairQueue({
          weightOf: () => {
            abort.abort('enough');
            return 1;
          },
        }),
    ],
  ])('%s', async (_, queueFor) => {
    const abort = new AbortController();
    const queue = queueFor(abort);
    const { lines, ask, settle, limit, waiting } = setUp({ queue });
    ask('first', 1, { signal: abort.signal, ...(queue === fifo ? {} : { fairKey: 'a' }) });
    ask('second', 1);
    abort.abort('enough');
    limit.tokens = 1;
    waiting.serve();
    await settle();
    expect(lines.toSorted()).toEqual(['first enough', 'second granted']);
  });
});

describe('a new request', () => {
  const wrong = (kind: string, message: string) => `new ${kind}: acquire: ${message}`;

  test.each<[story: string, asked: AcquireOptions, result: string]>([
    ['does not pass one that waits', {}, ''],
    ['passes it as a retry', { retry: true }, 'new granted'],
    ['is refused under an abort', { signal: AbortSignal.abort('enough'), retry: true }, 'new enough'],
    ['is refused for a wait of nothing', { maxWaitMs: 0 }, 'new wait-too-long'],
    [
      'is refused for a wrong wait',
      { maxWaitMs: -1 },
      wrong('RangeError', 'maxWaitMs must be a finite number ≥ 0, got -1'),
    ],
    [
      'is refused for a wrong retry',
      { retry: 1 as never },
      wrong('TypeError', 'retry must be true or false, got 1'),
    ],
  ])('%s', async (_, asked, result) => {
    const { lines, ask, settle, limit } = setUp({ tokens: 3 });
    ask('first', 5);
    ask('new', 1, asked);
    await settle();
    expect(lines.join()).toBe(result);
    expect(limit.tokens).toBe(result === 'new granted' ? 2 : 3);
  });

  test.each<[closed: 'drain' | 'reject', asked: AcquireOptions, result: string]>([
    ['drain', {}, 'closed'],
    ['drain', { earlier: {} as never }, 'granted'],
    ['reject', { earlier: {} as never }, 'closed'],
    ['reject', {}, 'closed'],
  ])('of a limit that is closed (%s), asked %j: %s', async (closed, asked, result) => {
    const { waiting, lines, errors, ask, settle } = setUp({ tokens: 3 });
    waiting.close(closed);
    ask('new', 1, asked);
    await settle();
    expect(lines).toEqual([`new ${result}`]);
    if (result === 'closed') expect(errors[0]?.message).toBe('Not sent: the bucket was closed');
  });
});

describe('what a refusal says', () => {
  const late = { waitMs: () => 500 };

  test.each<[story: string, options: Options, asked: AcquireOptions, message: string, waitMs?: number]>([
    ['late', { supply: late }, { maxWaitMs: 100 }, 'its turn would not come within 100 ms', 500],
    ['full', { supply: late, maxQueue: 0 }, {}, 'the queue is full (maxQueue 0)', 500],
    ['full, and nothing known', { maxQueue: 0 }, {}, 'the queue is full (maxQueue 0)'],
    ['late by the limit', { supply: late, maxWaitMs: 99 }, {}, 'its turn would not come within 99 ms', 500],
  ])('%s', async (_, options, asked, message, waitMs) => {
    const { ask, errors, settle, waiting } = setUp(options);
    const refusedFor = vi.fn();
    if (waiting.supply !== undefined) waiting.supply.refusedFor = refusedFor;
    ask('one', 1, asked);
    await settle();
    expect(errors[0]).toMatchObject({ message: `Not sent: ${message}` });
    expect([errors[0]?.waitMs, waiting.refused]).toEqual([waitMs, 1]);
    expect(refusedFor.mock.calls).toEqual(waitMs === undefined ? [] : [[waitMs, 0]]);
  });

  test('evicted', async () => {
    const { lines, errors, ask, settle } = setUp({
      maxQueue: 1,
      queue: priorityQueue({ overflow: 'drop-lowest' }),
    });
    ask('low', 1);
    ask('high', 1, { priority: 1 });
    await settle();
    expect(lines).toEqual(['low evicted']);
    expect(errors[0]?.message).toBe(
      'Not sent: the queue is full (maxQueue 1), and another request took its place',
    );
  });

  test('the capacity is lower', async () => {
    const { errors, ask, settle, waiting } = setUp({ supply: { capacity: 8 } });
    ask('one', 8);
    ask('two', 5);
    waiting.supply = { ...(waiting.supply as Supply), capacity: 5 };
    waiting.sweep();
    await settle();
    expect(errors.map(({ message }) => message)).toEqual([
      'Not sent: it costs 8 tokens, and the capacity is now 5',
    ]);
  });
});

describe('how long the wait would be', () => {
  test('is asked for all that goes before, exactly if the request does not wait for ever', async () => {
    const asked: unknown[] = [];
    const waitMs = (cost: unknown): number => asked.push(cost);
    const { ask, clock } = setUp({ supply: { waitMs } });
    ask('old', 5);
    clock.tick(40_000);
    ask('retry', 1, { retry: true });
    ask('hasty', 1, { retry: true, maxWaitMs: 1_000 });
    expect(asked).toEqual([5, 1, 7]);
  });

  test.each([
    [100.001, ''],
    [100.002, 'one wait-too-long'],
  ])('may be off by a rounding error: %d ms of 100', async (waitMs, result) => {
    const { lines, ask, settle } = setUp({ supply: { waitMs: () => waitMs } });
    ask('one', 1, { maxWaitMs: 100 });
    await settle();
    expect(lines.join()).toBe(result);
  });
});

describe('an abort', () => {
  test('is heard at once, also after very many in earlier turns', async () => {
    const { waiting, ask } = setUp();
    const left: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const aborts = Array.from({ length: 300 }, () => new AbortController());
      for (const { signal } of aborts) ask('one', 1, { signal });
      for (const abort of aborts) abort.abort('enough');
      left.push(waiting.size);
      await Promise.resolve();
    }
    expect(left).toEqual([0, 0, 0]);
  });
});

describe('serving', () => {
  test('grants a hundred in each turn', () => {
    const { waiting, ask, limit, clock } = setUp();
    for (let at = 0; at < 250; at += 1) ask(`${at}`, 1);
    limit.tokens = 1_000;
    const sizes = [waiting.size];
    waiting.serve();
    for (; clock.pending > 0; clock.tick((clock.nextAtMs ?? 0) - clock.now())) sizes.push(waiting.size);
    expect([...sizes, waiting.size]).toEqual([250, 150, 50, 0]);
  });

  test('grants nothing after a deadline, also if no timer has fired', async () => {
    const results = [100, 100.001, 101].map(async (atMs) => {
      let nowMs = 0;
      const clock = { now: () => nowMs, schedule: () => () => undefined };
      let isThere = false;
      const setup = { maxQueue: 9, maxWaitMs: 9e9, queue: fifo };
      const grants = () => (isThere ? 'granted' : undefined);
      const waiting = new WaitQueue<string>(setup, new SteadyTime(clock), grants);
      const asked = waiting.acquire({ maxWaitMs: 100 }, 1);
      isThere = true;
      nowMs = atMs;
      waiting.serve();
      return asked.catch(({ reason, message }) => `${reason}: ${message}`);
    });
    expect(await Promise.all(results)).toEqual([
      'granted',
      'granted',
      'wait-too-long: Not sent: its turn does not come in time',
    ]);
  });

  test('refuses what a pause does not let go in time, to the millisecond', async () => {
    const supply = { pausedMs: () => 0 };
    const { waiting, lines, ask, settle } = setUp({ supply });
    ask('in time', 1, { maxWaitMs: 51 });
    ask('late', 1, { maxWaitMs: 50 });
    if (waiting.supply) waiting.supply.pausedMs = () => 50;
    waiting.serve();
    await settle();
    expect(lines).toEqual(['late wait-too-long']);
  });
});

describe('the timer', () => {
  test('is set for the first deadline alone, as a wait', () => {
    const { clock, ask } = setUp();
    const schedule = vi.spyOn(clock, 'schedule');
    ask('patient', 1);
    expect(clock.pending).toBe(0);
    ask('hasty', 1, { maxWaitMs: 100 });
    expect(clock.nextAtMs).toBe(100);
    expect(schedule.mock.calls).toEqual([[expect.any(Function), 100, false, true]]);
  });
});

test('it is idle when all have left, and not before', async () => {
  const { waiting, ask, limit, settle } = setUp();
  await waiting.idle();
  ask('one', 1);
  ask('other', 1);
  const idle = vi.fn();
  void waiting.idle().then(idle);
  for (const calls of [0, 1]) {
    limit.tokens = 1;
    waiting.serve();
    await settle();
    expect(idle).toHaveBeenCalledTimes(calls);
  }
});
