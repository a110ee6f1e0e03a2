import { seededRandom } from '@ebb/core/testing';
import { DRAWS } from '@ebb/testing/faults';
import { EventQueue } from '../../engine/event-queue.ts';

/** How one client limits what it has in flight. */
export interface ClientLimit {
  /** The most requests in flight now. */
  readonly limit: number;
  /** A request is sent, with which so many are in flight. Returns a stamp. */
  sent(inFlight: number): number;
  /** The request with the stamp is answered. `waiting`: others wait for its slot. */
  answered(stamp: number, sentAtMs: number, nowMs: number, waiting: boolean): void;
  /** The request with the stamp is refused, or was given up. */
  failed(stamp: number, sentAtMs: number, nowMs: number, inFlight: number): void;
}

/** The work of a call: time of a worker, and time without a worker. */
interface Work {
  readonly workMs: number;
  readonly ownMs: number;
}

/** A service and the calls of one program. */
export interface World {
  /** Loops that call again after each answer; or calls per second, at random times. */
  readonly load: { readonly callers: number } | { readonly perSecond: number };
  /** Returns the work of the call with this number, as means of the spread; `undefined` if there are no more calls. */
  readonly work: (call: number, random: () => number, nowMs: number) => Work | undefined;
  readonly spread: 'even' | 'exponential' | 'log-normal';
  /** @default without a limit */
  readonly workers?: number;
  /** Changes of the number of workers. */
  readonly changes?: readonly { readonly atMs: number; readonly workers: number }[];
  /** The most requests that the service lets wait. Others are refused with 429. @default no limit */
  readonly queue?: number;
  readonly timeoutMs?: number;
  readonly durationMs: number;
  readonly seed: number;
}

/** The result of a call. */
export interface CallResult {
  readonly askedAtMs: number;
  readonly sentAtMs: number;
  readonly endedAtMs: number;
  readonly isServed: boolean;
  /** In flight when it was sent, with it. */
  readonly inFlight: number;
}

const [ARRIVE, FINISH, ANSWER, GIVE_UP, CHANGE] = [0, 1, 2, 3, 4];

interface Call extends Work {
  readonly askedAtMs: number;
  sentAtMs: number;
  stamp: number;
  inFlight: number;
  isOver: boolean;
  isRefused: boolean;
}

/** From 80 to 120 % of a mean. */
function even(mean: number, random: () => number): number {
  return mean * (0.8 + 0.4 * random());
}

/** Runs a world, and returns the calls in the order in which they end. A refused call is not sent again. */
export function runWorld(rule: ClientLimit, world: World): CallResult[] {
  const { load, work, spread, queue = Number.POSITIVE_INFINITY, timeoutMs, durationMs } = world;
  const random = seededRandom(world.seed);
  const draw = spread === 'even' ? even : DRAWS[spread];
  const isClosed = 'callers' in load;
  const events = new EventQueue();
  const calls: Call[] = [];
  const ended: CallResult[] = [];
  const front: number[] = [];
  const line: number[] = [];
  let [head, first] = [0, 0];
  let workers = world.workers ?? Number.POSITIVE_INFINITY;
  let [busy, inFlight, nowMs] = [0, 0, 0];

  const at = (atMs: number, kind: number, call = 0): void => events.push(atMs, kind, call);
  const ask = (): void => {
    const needs = work(calls.length, random, nowMs);
    if (needs === undefined) return;
    const { workMs, ownMs } = needs;
    front.push(calls.length);
    calls.push({
      workMs: workMs > 0 ? draw(workMs, random) : 0,
      ownMs: ownMs > 0 ? draw(ownMs, random) : 0,
      askedAtMs: nowMs,
      sentAtMs: 0,
      stamp: 0,
      inFlight: 0,
      isOver: false,
      isRefused: false,
    });
    send();
  };
  const send = (): void => {
    while (head < front.length && inFlight < Math.floor(rule.limit)) {
      const number = front[head] as number;
      const call = calls[number] as Call;
      head += 1;
      inFlight += 1;
      call.sentAtMs = nowMs;
      call.inFlight = inFlight;
      call.stamp = rule.sent(inFlight);
      if (timeoutMs !== undefined) at(nowMs + timeoutMs, GIVE_UP, number);
      if (call.workMs === 0) at(nowMs + call.ownMs, ANSWER, number);
      else if (busy >= workers && line.length - first >= queue) {
        call.isRefused = true;
        at(nowMs + call.ownMs, ANSWER, number);
      } else {
        line.push(number);
        serve();
      }
    }
  };
  const serve = (): void => {
    while (busy < workers && first < line.length) {
      const number = line[first] as number;
      first += 1;
      busy += 1;
      at(nowMs + (calls[number] as Call).workMs, FINISH, number);
    }
  };
  const end = (call: Call, isServed: boolean): void => {
    if (call.isOver) return;
    call.isOver = true;
    inFlight -= 1;
    const { askedAtMs, sentAtMs, stamp } = call;
    ended.push({ askedAtMs, sentAtMs, endedAtMs: nowMs, isServed, inFlight: call.inFlight });
    if (isServed) rule.answered(stamp, sentAtMs, nowMs, head < front.length);
    else rule.failed(stamp, sentAtMs, nowMs, inFlight + 1);
    if (isClosed) ask();
    send();
  };
  const nextMs = (): number => (isClosed ? 0 : DRAWS.exponential(1_000 / load.perSecond, random));
  const askers = isClosed ? load.callers : 1;
  for (let asker = 0; asker < askers; asker += 1) at(nextMs(), ARRIVE);
  for (const change of world.changes ?? []) at(change.atMs, CHANGE, change.workers);
  while (events.nextAtMs < durationMs) {
    nowMs = events.nextAtMs;
    events.pop();
    const { event: kind, stamp } = events;
    const call = calls[stamp] as Call;
    if (kind === ARRIVE) {
      ask();
      if (!isClosed) at(nowMs + nextMs(), ARRIVE);
    } else if (kind === FINISH) {
      busy -= 1;
      at(nowMs + call.ownMs, ANSWER, stamp);
      serve();
    } else if (kind === ANSWER) end(call, !call.isRefused);
    else if (kind === GIVE_UP) end(call, false);
    else {
      workers = stamp;
      serve();
    }
  }
  return ended;
}
