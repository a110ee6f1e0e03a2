import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { laneOf, WaitingLine } from './waiting-line.ts';

const LANES = 30;
const HEAD_START_MS = 100;

const lane = fc.oneof(fc.constantFrom(0, LANES - 1), fc.nat(LANES - 1));
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
  { weight: 2, arbitrary: fc.record({ kind: is('pass'), ms: fc.nat(300) }) },
  { weight: 2, arbitrary: fc.record({ kind: is('shift') }) },
  { weight: 1, arbitrary: fc.record({ kind: is('pop-below'), lane }) },
  { weight: 1, arbitrary: fc.record({ kind: is('shift-oldest') }) },
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

  /** The first of each lane. */
  get firsts(): Plain[] {
    return this.all.filter(({ lane }, at) => this.all.findIndex((other) => other.lane === lane) === at);
  }

  /** The order of waiters: the time of arrival less the head start of the lane. */
  keyOf({ sinceMs, lane }: Pick<Plain, 'sinceMs' | 'lane'>): number {
    return sinceMs - lane * HEAD_START_MS;
  }

  get next(): Plain | undefined {
    return this.firsts.toSorted((a, b) => this.keyOf(a) - this.keyOf(b) || b.lane - a.lane)[0];
  }

  get oldest(): Plain | undefined {
    return this.firsts.toSorted((a, b) => a.sinceMs - b.sinceMs || a.lane - b.lane)[0];
  }

  lastBelow(lane: number): Plain | undefined {
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
  readonly plain = new PlainLine();
  readonly line = new WaitingLine<string>(HEAD_START_MS, () => {
    this.#aborts += 1;
    for (let left = 1_000; left > 0 && this.line.endAborted(); left -= 1);
  });
  readonly controllers = Array.from({ length: 3 }, () => new AbortController());
  readonly came = new Map<number, unknown>();
  #expected = new Map<number, unknown>();
  #aborts = 0;
  #expectedAborts = 0;
  #asked = 0;
  #nowMs = 0;

  does(step: Step): void {
    const { line, plain } = this;
    switch (step.kind) {
      case 'join':
        this.#join(step.lane, step.patienceMs, step.signal);
        break;
      case 'pass':
        this.#nowMs += step.ms;
        break;
      case 'shift':
        this.#leaves(line.shift(), plain.next);
        break;
      case 'pop-below':
        this.#leaves(line.popBelow(step.lane), plain.lastBelow(step.lane));
        break;
      case 'shift-oldest':
        this.#leaves(line.shiftOldest(), plain.oldest);
        break;
      case 'shift-expired':
        this.#leaves(line.shiftExpired(this.#nowMs), plain.expired(this.#nowMs));
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
    const promise = this.line.join(lane, cost, this.#nowMs, deadlineMs, signal);
    promise.then(
      (value) => this.came.set(cost, value),
      (error) => this.came.set(cost, error),
    );
    this.plain.all.push({ cost, lane, sinceMs: this.#nowMs, deadlineMs, signal: which });
  }

  #leaves(
    waiter: { readonly cost: number; readonly resolve: (value: string) => void } | undefined,
    plain: Plain | undefined,
  ): void {
    expect(waiter?.cost).toBe(plain?.cost);
    if (waiter === undefined || plain === undefined) return;
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
    const { line, plain } = this;
    const lanes = Array.from({ length: LANES }, (_, lane) => lane);
    const rival = plain.next;
    const isFirst = (lane: number): boolean =>
      rival === undefined ||
      (rival.lane < lane && plain.keyOf({ sinceMs: this.#nowMs, lane }) <= plain.keyOf(rival));
    const listeners = this.controllers.map(({ signal }) => getEventListeners(signal, 'abort').length);
    const watched = this.controllers.map((_, which) => plain.all.some(({ signal }) => signal === which));
    return [
      [
        ...[line.size, line.cost, line.peek()?.cost, line.nextDeadlineMs, this.#aborts, ...listeners],
        ...lanes.flatMap((lane) => [
          line.leastCostAhead(lane),
          line.costAhead(lane, this.#nowMs),
          line.goesFirst(lane, this.#nowMs),
        ]),
      ].join(),
      [
        ...[plain.all.length, plain.costFrom(0), rival?.cost, plain.firstDeadlineMs, this.#expectedAborts],
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

test('behaves as a plain sorted list does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), async (steps) => {
      const world = new World();
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
  const lanes = [-7, 0, 7].flatMap((priority) => [laneOf(priority, false), laneOf(priority, true)]);
  expect(lanes).toEqual([0, 1, 14, 15, 28, 29]);
});
