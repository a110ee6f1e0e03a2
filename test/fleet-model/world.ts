import type { Quota } from '@ebb/core/bucket';
import {
  type Answer,
  type Backlog,
  callArgs,
  draftOf,
  dueAtMs,
  isSlow,
  type LeaseEvent,
  type LeaseState,
  lease,
  newLease,
  type OpenCall,
  take,
} from '../../packages/valkey/src/lease.ts';
import { fleetSetup } from '../../packages/valkey/src/options.ts';
import { parseReply, type RawReply } from '../../packages/valkey/src/store-call.ts';
import { model, type ScriptReply } from '../../packages/valkey/test/model.ts';

// A fleet as a value: its processes, which are the real machine of lease.ts, the calls on their way, the store, which is the model of
// the script, and a bucket that measures what the fleet has spent.

export const LIMIT: Quota = { refillPerSecond: 1, capacity: 1 };
const TIMEOUT_MS = 250;
const TOKEN = 1e6;

/** The store's clock at 0, in microseconds: a time that the script reads exactly. */
export const EPOCH_US = 6e13;

/** How far the clock of the store is set, ahead or back. The script waits out steps of up to a second. */
const STEP_US = 2e6;

/** A call on its way. */
interface Flight {
  readonly to: OpenCall;
  readonly args: readonly string[];
  readonly sentAtMs: number;
  /** What the store has replied. */
  readonly reply?: ScriptReply;
  /** The process waits for it no more. */
  readonly isGivenUp: boolean;
  /** The reply was sent for a second call, with a proposed time. */
  readonly isAgain: boolean;
}

export interface Process {
  readonly lease: LeaseState;
  /** Whether a request of one token waits. */
  readonly isWaiting: boolean;
  readonly flights: readonly Flight[];
  readonly wakeAtMs: number;
  readonly lookAtMs: number;
}

/** How many of each trouble have come. */
interface Troubles {
  readonly losses: number;
  readonly steps: number;
  readonly drops: number;
  readonly ends: number;
}

/** How many may come, of each and of all together. */
export interface Bounds extends Troubles {
  readonly all: number;
}

/** In tokens. */
export interface Spending {
  readonly granted: number;
  /** The most beyond `rate · t` of the windows that end then; and of all windows. */
  readonly level: number;
  readonly levelAtMs: number;
  readonly most: number;
}

const NOTHING: Spending = { granted: 0, level: 0, levelAtMs: 0, most: 0 };

/** The level at another time. */
export const levelAt = ({ level, levelAtMs }: Spending, nowMs: number): number =>
  Math.max(0, level - ((nowMs - levelAtMs) * LIMIT.refillPerSecond) / 1_000);

export interface World {
  readonly nowMs: number;
  readonly text: string | undefined;
  /** How far the store's clock was set. */
  readonly aheadUs: number;
  readonly processes: readonly Process[];
  readonly troubles: Troubles;
  /** Whether every call got its reply in time. */
  readonly isTimely: boolean;
  /** What the store has granted, and what processes have spent of their shares while the store was away. */
  readonly leased: Spending;
  readonly local: Spending;
}

/** An event, and the place of its process and its call. */
export type Event =
  | readonly [type: 'ask' | 'close', process: number]
  | readonly [type: 'run' | 'reply' | 'drop' | 'fail', process: number, flight: number]
  | readonly [type: 'time' | 'timer' | 'lost' | 'ahead' | 'back'];

const client = { evalsha: () => Promise.reject(), eval: () => Promise.reject() };
const terms = fleetSetup({ client, key: 'k', ...LIMIT, timeoutMs: TIMEOUT_MS, random: () => 0 });

const backlogOf = (isWaiting: boolean): Backlog => ({
  ...{ count: isWaiting ? 1 : 0, firstCost: [isWaiting ? TOKEN : 0], totalCost: [isWaiting ? TOKEN : 0] },
  firstDeadlineMs: Number.POSITIVE_INFINITY,
  costs: isWaiting ? [[TOKEN]] : [],
});

/** Some of each. */
export const ANY_TROUBLE: Troubles = { losses: 6, steps: 2, drops: 3, ends: 1 };

const NO_TROUBLES: Troubles = { losses: 0, steps: 0, drops: 0, ends: 0 };

export function newWorld(processes: number): World {
  return {
    ...{ nowMs: 0, text: undefined, aheadUs: 0, troubles: NO_TROUBLES, isTimely: true },
    ...{ leased: NOTHING, local: NOTHING },
    processes: Array.from({ length: processes }, (_, at) => ({
      lease: newLease(terms, `process${at}`, 0),
      ...{ isWaiting: false, flights: [] },
      ...{ wakeAtMs: Number.POSITIVE_INFINITY, lookAtMs: Number.POSITIVE_INFINITY },
    })),
  };
}

/** As bucket-store.ts sends it. */
function flightOf(state: LeaseState, to: OpenCall, nowMs: number, isAgain: boolean): Flight {
  const args = callArgs(state, to.call, nowMs, isAgain);
  return { to, args, sentAtMs: nowMs, isGivenUp: false, isAgain };
}

const withProcess = (world: World, at: number, process: Process): World => ({
  ...world,
  processes: world.processes.map((one, place) => (place === at ? process : one)),
});

/** A request was granted. */
function grant(world: World, from: 'leased' | 'local'): World {
  const { nowMs } = world;
  const { granted, most } = world[from];
  const level = levelAt(world[from], nowMs) + 1;
  const spent = { granted: granted + 1, level, levelAtMs: nowMs, most: Math.max(most, level) };
  return { ...world, [from]: spent };
}

/** What the driver does at the end of a turn: steps, sends, and serves the request that waits. */
function settle(world: World, at: number, first?: Answer): World {
  let answer = first;
  let next = world;
  for (;;) {
    const { nowMs } = next;
    const process = next.processes[at] as Process;
    const event: LeaseEvent = { type: 'step', backlog: backlogOf(process.isWaiting), answer };
    const [state, { calls, wakeAtMs, lookAtMs }] = lease(process.lease, event, nowMs);
    answer = undefined;
    const flights = [...process.flights, ...calls.map((to) => flightOf(state, to, nowMs, false))];
    next = withProcess(next, at, { ...process, lease: state, flights, wakeAtMs, lookAtMs });
    const served = serve(next, at);
    if (served.processes[at]?.isWaiting === next.processes[at]?.isWaiting) return served;
    next = served;
  }
}

function serve(world: World, at: number): World {
  const process = world.processes[at] as Process;
  if (!process.isWaiting) return world;
  const state = draftOf(process.lease);
  const from = take(state, [TOKEN], world.nowMs);
  // Without the store a request may collect its tokens one part after the other.
  const next = withProcess(world, at, { ...process, lease: state, isWaiting: from === undefined });
  return from === undefined ? next : grant(next, from === 'store' ? 'leased' : 'local');
}

/** When a call is given up. */
function limitMs({ lease: state }: Process, { sentAtMs }: Flight, nowMs: number): number {
  return sentAtMs + (isSlow(state, nowMs) ? 2 : 1) * TIMEOUT_MS;
}

/** When something happens in a process by itself. */
function timerMs(process: Process, nowMs: number): number {
  const { lease: state, isWaiting, flights, wakeAtMs, lookAtMs } = process;
  return Math.min(
    wakeAtMs,
    lookAtMs,
    ...flights.filter(({ isGivenUp }) => !isGivenUp).map((flight) => limitMs(process, flight, nowMs)),
    ...(isWaiting ? [dueAtMs(state, [TOKEN], nowMs)] : []),
  );
}

/** Time passes until the first timer, which fires; or the time limit of a call. */
function pass(world: World, mostMs: number): World {
  const timers = world.processes.map((process) => timerMs(process, world.nowMs));
  const firstMs = Math.min(...timers);
  const laterMs = world.nowMs + TIMEOUT_MS;
  if (firstMs > world.nowMs + mostMs || firstMs === Number.POSITIVE_INFINITY)
    return { ...world, nowMs: laterMs };
  const nowMs = Math.max(world.nowMs, firstMs);
  const at = timers.indexOf(firstMs);
  const process = world.processes[at] as Process;
  const next = { ...world, nowMs };
  const late = process.flights.find((one) => !one.isGivenUp && limitMs(process, one, world.nowMs) <= nowMs);
  if (late === undefined) return settle(serve(next, at), at);
  const flights = process.flights.map((one) => (one === late ? { ...one, isGivenUp: true } : one));
  const { to, sentAtMs } = late;
  return settle({ ...withProcess(next, at, { ...process, flights }), isTimely: false }, at, {
    ...{ to, sentAtMs, error: new Error('no reply'), state: 'given up' },
  });
}

/** The store runs a call. */
function run(world: World, at: number, place: number): World {
  const process = world.processes[at] as Process;
  const flight = process.flights[place] as Flight;
  const realUs = EPOCH_US + Math.floor(world.nowMs * 1_000) + world.aheadUs;
  const { text, reply } = model(world.text, flight.args, realUs);
  const flights = process.flights.map((one) => (one === flight ? { ...one, reply } : one));
  // Each run takes some of the store's time, so that no two of them have the same.
  return { ...withProcess(world, at, { ...process, flights }), text, aheadUs: world.aheadUs + 1 };
}

/** A reply comes. */
function receive(world: World, at: number, place: number): World {
  const process = world.processes[at] as Process;
  const flight = process.flights[place] as Flight;
  const { to, sentAtMs, isGivenUp } = flight;
  const reply: RawReply = parseReply(to.call, flight.reply, 1);
  const others = process.flights.filter((one) => one !== flight);
  // As bucket-store.ts does: the store's clock is ahead of the time passed here.
  if (reply.tooLate && !flight.isAgain && world.nowMs - sentAtMs < 2 * TIMEOUT_MS) {
    const again = { ...flightOf(process.lease, to, world.nowMs, true), isGivenUp };
    return withProcess(world, at, { ...process, flights: [...others, again] });
  }
  const next = withProcess(world, at, { ...process, flights: others });
  return settle(next, at, { to, sentAtMs, reply, state: isGivenUp ? 'late' : undefined });
}

function fail(world: World, at: number, place: number): World {
  const process = world.processes[at] as Process;
  const { to, sentAtMs, isGivenUp } = process.flights[place] as Flight;
  const flights = process.flights.filter((_, one) => one !== place);
  const next = withProcess(world, at, { ...process, flights });
  const state = isGivenUp ? 'late' : undefined;
  return settle(next, at, { to, sentAtMs, error: new Error('ECONNRESET'), state });
}

const troubled = (world: World, which: keyof Troubles): World => ({
  ...world,
  troubles: { ...world.troubles, [which]: world.troubles[which] + 1 },
});

/** What comes of an event. */
export function after(world: World, event: Event): World {
  const [type, at = 0, place = 0] = event;
  const process = world.processes[at] as Process;
  switch (type) {
    case 'ask':
      return settle(serve(withProcess(world, at, { ...process, isWaiting: true }), at), at);
    case 'close': {
      const [state] = lease(process.lease, { type: 'close' }, world.nowMs);
      return troubled(
        settle(withProcess(world, at, { ...process, lease: state, isWaiting: false }), at),
        'ends',
      );
    }
    case 'run':
      return run(world, at, place);
    case 'reply':
      return receive(world, at, place);
    case 'fail':
      return troubled(fail(world, at, place), 'drops');
    case 'drop': {
      // It never comes, and the process gives it up in time.
      const flights = process.flights.filter((_, one) => one !== place);
      const lost = process.flights[place] as Flight;
      return troubled(
        withProcess(world, at, { ...process, flights: lost.isGivenUp ? flights : silent(process, place) }),
        'drops',
      );
    }
    case 'time':
      return pass(world, TIMEOUT_MS);
    case 'timer':
      return pass(world, Number.POSITIVE_INFINITY);
    case 'lost':
      return troubled({ ...world, text: undefined }, 'losses');
    case 'ahead':
      return troubled({ ...world, aheadUs: world.aheadUs + STEP_US }, 'steps');
    case 'back':
      return troubled({ ...world, aheadUs: world.aheadUs - STEP_US }, 'steps');
  }
}

/** The call stays until it is given up, but no reply comes. */
const silent = ({ flights }: Process, place: number): Flight[] =>
  flights.map((one, at) => (at === place ? { ...one, args: [], reply: [] } : one));

const isSilent = ({ args }: Flight): boolean => args.length === 0;

/** All that may happen. */
export function eventsOf(world: World, bounds: Bounds): Event[] {
  const { troubles } = world;
  const all = Object.values(troubles).reduce((sum: number, one: number) => sum + one, 0);
  const most = all < bounds.all ? bounds : NO_TROUBLES;
  const events: Event[] = [];
  world.processes.forEach(({ lease: state, isWaiting, flights }, at) => {
    if (!state.isClosed && !isWaiting) events.push(['ask', at]);
    flights.forEach((flight, place) => {
      if (isSilent(flight)) return;
      events.push([flight.reply === undefined ? 'run' : 'reply', at, place]);
      if (troubles.drops >= most.drops) return;
      events.push(['drop', at, place]);
      if (flight.reply === undefined) events.push(['fail', at, place]);
    });
    if (troubles.ends < most.ends && !state.isClosed) events.push(['close', at]);
  });
  events.push(['time']);
  if (troubles.losses < most.losses && world.text !== undefined) events.push(['lost']);
  if (troubles.steps < most.steps) events.push(['ahead'], ['back']);
  return events;
}

/** What happens next if nothing goes wrong: each call is run and answered, and when none is on its way time passes until a timer. */
export function fairEvent(world: World): Event {
  for (const [at, { flights }] of world.processes.entries()) {
    const place = flights.findIndex((flight) => !isSilent(flight));
    if (place >= 0) return [flights[place]?.reply === undefined ? 'run' : 'reply', at, place];
  }
  return ['timer'];
}
