import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { itself } from './amount.ts';
import { inOrderOfArrival } from './lanes.ts';
import { priorityQueue } from './priority-queue.ts';
import type { Queue, QueueOrder } from './queue.ts';
import { type Waiter, WaitingLine } from './waiting-line.ts';

/** An order, and what it does in other words. */
interface Subject {
  readonly order: QueueOrder;
  readonly lanes: number;
  readonly headStartMs: number;
  readonly overflow?: 'drop-lowest' | 'drop-oldest';
  /** The longest time that passes between two steps. */
  readonly mostMs: number;
}

const subjects: Readonly<Record<string, Subject>> = {
  'in order of arrival': { order: inOrderOfArrival, lanes: 2, headStartMs: 30_000, mostMs: 40_000 },
  'by priority, dropping the lowest': {
    order: priorityQueue({ agingMs: 200, overflow: 'drop-lowest' }),
    lanes: 30,
    headStartMs: 100,
    overflow: 'drop-lowest',
    mostMs: 300,
  },
  'by priority, dropping the oldest': {
    order: priorityQueue({ agingMs: 200, overflow: 'drop-oldest' }),
    lanes: 30,
    headStartMs: 100,
    overflow: 'drop-oldest',
    mostMs: 300,
  },
};

/** Cut to the lanes that there are. */
const lane = fc.oneof(fc.constantFrom(0, 29), fc.nat(29));
const is = <K extends string>(kind: K) => fc.constant(kind);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: is('join'),
      lane,
      patienceMs: fc.option(fc.nat(1_000), { nil: undefined }),
      signal: fc.option(fc.nat(2), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: is('pass'), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: is('shift') }) },
  { weight: 2, arbitrary: fc.record({ kind: is('displace'), lane }) },
  { weight: 1, arbitrary: fc.record({ kind: is('shift-expired') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('abort'), signal: fc.nat(2) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** A waiter of the plain model. */
interface Plain {
  /** The cost, which also identifies it. */
  readonly cost: number;
  readonly lane: number;
  readonly sinceMs: number;
  readonly deadlineMs: number;
  readonly signal: number | undefined;
}

/** The same queue as a plain list that is searched from the start. */
class PlainLine {
  all: Plain[] = [];
  readonly #subject: Subject;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** The first of each lane. */
  get firsts(): Plain[] {
    return this.all.filter(({ lane }, at) => this.all.findIndex((other) => other.lane === lane) === at);
  }

  /** The order of waiters: the time of arrival less the head start of the lane. */
  keyOf({ sinceMs, lane }: Pick<Plain, 'sinceMs' | 'lane'>): number {
    return sinceMs - lane * this.#subject.headStartMs;
  }

  get next(): Plain | undefined {
    return this.firsts.toSorted((a, b) => this.keyOf(a) - this.keyOf(b) || b.lane - a.lane)[0];
  }

  displacedBy(lane: number): Plain | undefined {
    const { overflow } = this.#subject;
    if (overflow === undefined) return undefined;
    return overflow === 'drop-lowest' ? this.#lastBelow(lane) : this.#oldest;
  }

  get #oldest(): Plain | undefined {
    return this.firsts.toSorted((a, b) => a.sinceMs - b.sinceMs || a.lane - b.lane)[0];
  }

  #lastBelow(lane: number): Plain | undefined {
    const lowest = Math.min(...this.all.map((one) => one.lane));
    return lowest < lane ? this.all.findLast((one) => one.lane === lowest) : undefined;
  }

  expired(nowMs: number): Plain | undefined {
    const [due] = this.all.toSorted((a, b) => a.deadlineMs - b.deadlineMs);
    return due !== undefined && due.deadlineMs <= nowMs ? due : undefined;
  }

  /** The cost of all waiters that go before a new one. */
  costBefore(newcomer: Pick<Plain, 'sinceMs' | 'lane'>): number {
    const key = this.keyOf(newcomer);
    return this.all
      .filter((one) => one.lane >= newcomer.lane || this.keyOf(one) < key)
      .reduce((sum, { cost }) => sum + cost, 0);
  }

  get firstDeadlineMs(): number {
    return Math.min(...this.all.map(({ deadlineMs }) => deadlineMs));
  }

  costFrom(lane: number): number {
    return this.all.filter((one) => one.lane >= lane).reduce((sum, { cost }) => sum + cost, 0);
  }
}

/** Both queues, and the operations on them. */
class World {
  readonly subject: Subject;
  readonly plain: PlainLine;
  readonly line: WaitingLine<string>;
  /** That of the line. */
  readonly queue: Queue<Waiter<string>>;
  readonly controllers = Array.from({ length: 3 }, () => new AbortController());
  readonly came = new Map<number, unknown>();
  #expected = new Map<number, unknown>();
  #aborts = 0;
  #expectedAborts = 0;
  #asked = 0;
  #nowMs = 0;

  constructor(subject: Subject) {
    this.subject = subject;
    this.plain = new PlainLine(subject);
    this.queue = subject.order.make(itself);
    this.line = new WaitingLine({ queue: { make: () => this.queue as never } }, () => {
      this.#aborts += 1;
      for (let left = 1_000; left > 0 && this.line.endAborted(); left -= 1);
    });
  }

  #lane(lane: number): number {
    return Math.min(lane, this.subject.lanes - 1);
  }

  does(step: Step): void {
    const { line, plain, queue } = this;
    switch (step.kind) {
      case 'join':
        this.#join(this.#lane(step.lane), step.patienceMs, step.signal);
        break;
      case 'pass':
        this.#nowMs += Math.round(step.share * this.subject.mostMs);
        break;
      case 'shift':
        this.#leaves(queue.first, plain.next);
        break;
      case 'displace': {
        const at = this.#lane(step.lane);
        this.#leaves(queue.displacedBy?.(at), plain.displacedBy(at));
        break;
      }
      case 'shift-expired':
        this.#leaves(line.expired(this.#nowMs), plain.expired(this.#nowMs));
        break;
      case 'abort':
        this.#abort(step.signal);
        break;
    }
  }

  #join(lane: number, patienceMs: number | undefined, which: number | undefined): void {
    const signal = which === undefined ? undefined : this.controllers[which]?.signal;
    // As its users do.
    if (signal?.aborted) return;
    this.#asked += 1;
    const cost = this.#asked;
    // No two deadlines are the same.
    const deadlineMs =
      patienceMs === undefined ? Number.POSITIVE_INFINITY : this.#nowMs + patienceMs + cost / 1e4;
    const promise = this.line.add(lane, cost, this.#nowMs, deadlineMs, signal);
    promise.then(
      (value) => this.came.set(cost, value),
      (error) => this.came.set(cost, error),
    );
    this.plain.all.push({ cost, lane, sinceMs: this.#nowMs, deadlineMs, signal: which });
  }

  #leaves(waiter: Waiter<string> | undefined, plain: Plain | undefined): void {
    expect(waiter?.cost).toBe(plain?.cost);
    if (waiter === undefined || plain === undefined) return;
    this.line.remove(waiter);
    waiter.resolve(`granted ${waiter.cost}`);
    this.#expected.set(plain.cost, `granted ${plain.cost}`);
    this.plain.all = this.plain.all.filter((one) => one !== plain);
  }

  #abort(which: number): void {
    const under = this.plain.all.filter(({ signal }) => signal === which);
    this.controllers[which]?.abort(`aborted ${which}`);
    if (under.length > 0) this.#expectedAborts += 1;
    for (const { cost } of under) this.#expected.set(cost, `aborted ${which}`);
    this.plain.all = this.plain.all.filter(({ signal }) => signal !== which);
  }

  /** The state of either queue as text, which is fast to compare. */
  get seen(): [line: string, plain: string] {
    const { line, plain, queue } = this;
    const lanes = Array.from({ length: this.subject.lanes }, (_, lane) => lane);
    const rival = plain.next;
    const isFirst = (lane: number): boolean =>
      rival === undefined ||
      (rival.lane < lane && plain.keyOf({ sinceMs: this.#nowMs, lane }) <= plain.keyOf(rival));
    const listeners = this.controllers.map(({ signal }) => getEventListeners(signal, 'abort').length);
    const watched = this.controllers.map((_, which) => plain.all.some(({ signal }) => signal === which));
    return [
      [
        ...[line.size, line.cost, line.firstCost, line.nextDeadlineMs, this.#aborts, ...listeners],
        ...lanes.flatMap((lane) => [
          queue.costAhead(lane, this.#nowMs, false),
          queue.costAhead(lane, this.#nowMs, true),
          queue.goesFirst(lane, this.#nowMs),
        ]),
      ].join(),
      [
        ...[
          plain.all.length,
          plain.costFrom(0),
          rival?.cost ?? 0,
          plain.firstDeadlineMs,
          this.#expectedAborts,
        ],
        ...watched.map(Number),
        ...lanes.flatMap((lane) => [
          plain.costFrom(lane),
          plain.costBefore({ lane, sinceMs: this.#nowMs }),
          isFirst(lane),
        ]),
      ].join(),
    ];
  }

  async settled(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await undefined;
    expect(this.came).toEqual(this.#expected);
  }
}

test.each(Object.entries(subjects))('%s: behaves as a plain sorted list does', async (_, subject) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
      const world = new World(subject);
      for (const step of steps) {
        world.does(step);
        const [line, plain] = world.seen;
        if (line !== plain) expect(line).toBe(plain);
      }
      await world.settled();
    }),
    { numRuns: 300 },
  );
});

test('each priority has a lane, and one above it for its retries', () => {
  const queue = priorityQueue().make<Waiter<string>>(itself);
  const lanes = [-7, undefined, 7].flatMap((priority) => [
    queue.laneOf({ priority }),
    queue.laneOf({ priority, retry: true }),
  ]);
  expect(lanes).toEqual([0, 1, 14, 15, 28, 29]);
});

test('the cost of an empty queue is exactly 0', () => {
  const line = new WaitingLine<void>({ queue: inOrderOfArrival }, () => undefined);
  for (const cost of [0.1, 0.2, 0.3]) void line.add(0, cost, 0, 1);
  expect(line.cost).toBeCloseTo(0.6, 9);
  for (let one = line.expired(1); one !== undefined; one = line.expired(1)) line.remove(one);
  expect([line.cost, line.size, line.firstCost]).toEqual([0, 0, 0]);
});

test.each([1, -1, 'high', Number.NaN])('a queue in order of arrival takes no priority %s', (priority) => {
  const laneOf = (): unknown => inOrderOfArrival.make(itself).laneOf({ priority: priority as number });
  expect(laneOf).toThrow(TypeError);
  expect(laneOf).toThrow('priority must be 0 at a limit without `queue: priorityQueue()`');
});

test.each<[options: object, message: string]>([
  [{ agingMs: 0 }, 'priorityQueue: agingMs must be a finite number > 0, got 0'],
  [{ overflow: 'block' }, "priorityQueue: overflow must be one of 'reject', 'drop-oldest', 'drop-lowest'"],
  [{ maxQueue: 5 }, 'priorityQueue has no option "maxQueue"'],
])('priorityQueue refuses %j', (options, message) => {
  expect(() => priorityQueue(options)).toThrow(message);
});
