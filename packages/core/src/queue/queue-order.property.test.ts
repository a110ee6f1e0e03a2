import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/runs.ts';
import { type StepOf, step } from '../../test/histories.ts';
import { fifo } from './fifo.ts';
import { priorityQueue } from './order.ts';
import { type Lane, NUMBERS, type QueueEntry, type QueueOrder } from './queue.ts';

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
  'in order of arrival': { order: fifo, lanes: 2, headStartMs: 30_000, mostMs: 40_000 },
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
const steps = fc.oneof(
  step(4, 'join', { lane }),
  step(2, 'pass', { share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  step(2, 'shift', {}),
  step(2, 'evict', { lane }),
  step(1, 'leave', { which: fc.nat(20) }),
);
type Step = StepOf<typeof steps>;

/** A waiter of the plain model. */
interface Plain {
  /** The cost, which also identifies it. */
  readonly cost: number;
  readonly lane: number;
  readonly sinceMs: number;
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

  evictedBy(lane: number): Plain | undefined {
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

  /** The cost of all waiters that go before a new one. */
  costBefore(newcomer: Pick<Plain, 'sinceMs' | 'lane'>): number {
    const key = this.keyOf(newcomer);
    return this.all
      .filter((one) => one.lane >= newcomer.lane || this.keyOf(one) < key)
      .reduce((sum, { cost }) => sum + cost, 0);
  }

  costFrom(lane: number): number {
    return this.all.filter((one) => one.lane >= lane).reduce((sum, { cost }) => sum + cost, 0);
  }
}

interface Waiter extends QueueEntry<Waiter> {
  readonly cost: number;
}

/** Both queues, and the operations on them. */
class World {
  readonly plain: PlainLine;
  readonly #subject: Subject;
  readonly #queue;
  /** As the queue numbers them. */
  readonly #lanes: readonly Lane[];
  readonly #all = new Map<number, Waiter>();
  #asked = 0;
  #nowMs = 0;

  constructor(subject: Subject) {
    this.#subject = subject;
    this.plain = new PlainLine(subject);
    const queue = subject.order.make<Waiter>(NUMBERS);
    this.#queue = queue;
    this.#lanes = Array.from({ length: subject.lanes }, (_, lane) => {
      const priority = subject.lanes === 2 ? 0 : (lane >> 1) - 7;
      return queue.laneOf({ priority, retry: lane % 2 === 1 });
    });
  }

  does(step: Step): void {
    const { plain } = this;
    const lane = 'lane' in step ? Math.min(step.lane, this.#subject.lanes - 1) : 0;
    if (step.kind === 'pass') this.#nowMs += Math.round(step.share * this.#subject.mostMs);
    else if (step.kind === 'shift') this.#leaves(this.#queue.first, plain.next);
    else if (step.kind === 'evict') {
      this.#leaves(this.#queue.evictedBy?.(this.#lanes[lane]), plain.evictedBy(lane));
    } else if (step.kind === 'leave') {
      const one = plain.all[step.which % Math.max(1, plain.all.length)];
      if (one !== undefined) this.#leaves(this.#all.get(one.cost), one);
    } else {
      this.#asked += 1;
      const cost = this.#asked;
      const waiter = {
        cost,
        sinceMs: this.#nowMs,
        lane: this.#lanes[lane],
        next: undefined,
        previous: undefined,
      };
      this.#all.set(cost, waiter);
      this.#queue.add(waiter);
      plain.all.push({ cost, lane, sinceMs: this.#nowMs });
    }
  }

  #leaves(waiter: Waiter | undefined, plain: Plain | undefined): void {
    expect(waiter?.cost).toBe(plain?.cost);
    if (waiter === undefined || plain === undefined) return;
    this.#queue.remove(waiter, true);
    this.plain.all = this.plain.all.filter((one) => one !== plain);
  }

  /** The state of either queue as text, which is fast to compare. */
  get seen(): [queue: string, plain: string] {
    const { plain } = this;
    const queue = this.#queue;
    const rival = plain.next;
    const isFirst = (lane: number): boolean =>
      rival === undefined ||
      (rival.lane < lane && plain.keyOf({ sinceMs: this.#nowMs, lane }) <= plain.keyOf(rival));
    const inTurn = [...queue].map(({ cost }) => cost);
    return [
      [
        ...[queue.cost, queue.first?.cost, inTurn[0], ...inTurn.toSorted((a, b) => a - b)],
        ...this.#lanes.flatMap((lane) => [
          queue.costAhead(lane, this.#nowMs, true),
          queue.goesFirst(lane, this.#nowMs),
        ]),
      ].join(),
      [
        ...[plain.costFrom(0), rival?.cost, rival?.cost, ...plain.all.map(({ cost }) => cost)],
        ...this.#lanes.flatMap((_, lane) => [
          plain.costBefore({ lane, sinceMs: this.#nowMs }),
          isFirst(lane),
        ]),
      ].join(),
    ];
  }

  /** Each may leave while it is looked at. */
  empty(): void {
    for (const one of this.#queue) this.#queue.remove(one, false);
    expect([this.#queue.first, this.#queue.cost]).toEqual([undefined, 0]);
  }
}

test.each(Object.entries(subjects))('%s: behaves as a plain sorted list does', (_, subject) => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 80, size: 'max' }), (history) => {
      const world = new World(subject);
      for (const step of history) {
        world.does(step);
        const [queue, plain] = world.seen;
        if (queue !== plain) expect(queue).toBe(plain);
      }
      world.empty();
    }),
    { numRuns: runs(300) },
  );
});

test('each priority has a lane, and one above it for its retries', () => {
  const queue = priorityQueue().make<Waiter>(NUMBERS);
  const lanes = [-7, undefined, 7].flatMap((priority) => [
    queue.laneOf({ priority }),
    queue.laneOf({ priority, retry: true }),
  ]);
  expect(lanes).toEqual([0, 1, 14, 15, 28, 29]);
});

test.each([1, -1, 'high', Number.NaN])('a queue in order of arrival takes no priority %s', (priority) => {
  const laneOf = (): unknown => fifo.make<Waiter>(NUMBERS).laneOf({ priority: priority as number });
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
