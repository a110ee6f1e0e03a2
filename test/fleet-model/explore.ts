import { keyOf } from './key.ts';
import { isBeyond, type Most, mostOf } from './most.ts';
import { after, type Bounds, type Event, eventsOf, fairEvent, type World } from './world.ts';

/** What the exploration has found. */
interface Explored {
  /** Worlds that differ, and events that were played. */
  readonly states: number;
  readonly events: number;
  /** By depth. */
  readonly layers: readonly number[];
  readonly most: Most;
  /** The longest wait of a request once nothing went wrong any more, in milliseconds. */
  readonly longestMs: number;
  /** How often a world was looked at for whether its requests are served, and by how many events. */
  readonly endings: number;
  readonly endingEvents: number;
}

/** A world in which a rule is broken, with the events that lead to it. */
class Broken extends Error {
  constructor(message: string, path: readonly Event[]) {
    super(`${message}\n${path.map((event) => event.join(' ')).join(' · ')}`);
  }
}

/** The last event of a path, and the path before it. Worlds are large, so a path holds none. */
interface Path {
  readonly event: Event;
  readonly before: Path | undefined;
}

interface Node {
  readonly world: World;
  readonly path: Path | undefined;
}

function eventsOn(path: Path | undefined): Event[] {
  const events: Event[] = [];
  for (let at = path; at !== undefined; at = at.before) events.unshift(at.event);
  return events;
}

/** A request is served, and the store is back, within so long once nothing goes wrong any more. In milliseconds. */
const PATIENCE_MS = 30_000;

/** … and within so many events. */
const MOST_EVENTS = 2_000;

/**
 * Each process that is not closed asks, and then nothing goes wrong any more: all requests are served, and then all processes share the
 * bucket again, if they go on asking.
 *
 * @param served the keys of worlds of which that is known
 */
function endOf(
  start: World,
  served: Set<string> = new Set(),
): { readonly broken?: string; readonly events: number; readonly lastsMs: number } {
  let world = start;
  const askAll = (): void => {
    for (const [at, { lease, isWaiting }] of world.processes.entries())
      if (!lease.isClosed && !isWaiting) world = after(world, ['ask', at]);
  };
  askAll();
  const keys: string[] = [];
  const sinceMs = world.nowMs;
  let events = 0;
  for (;;) {
    const isWaiting = world.processes.some((process) => process.isWaiting);
    const isAway = world.processes.some(({ lease }) => lease.outage !== undefined && !lease.isClosed);
    if (!isWaiting && !isAway) break;
    if (!isWaiting) askAll();
    const event = fairEvent(world);
    // While time stands, what follows is the same.
    if (event[0] === 'timer') {
      const key = keyOf(world);
      if (served.has(key)) break;
      keys.push(key);
    }
    world = after(world, event);
    events += 1;
    if (world.nowMs - sinceMs > PATIENCE_MS || events > MOST_EVENTS) {
      const broken = isWaiting ? 'A request is never served' : 'A process never shares the bucket again';
      return { broken, events, lastsMs: world.nowMs - sinceMs };
    }
  }
  for (const key of keys) served.add(key);
  return { events, lastsMs: world.nowMs - sinceMs };
}

/** Whether an event is the one that comes if nothing goes wrong. */
function isFair(event: Event, world: World): boolean {
  const fair = fairEvent(world);
  // Time passes until a timer, in one part or in several.
  if (fair[0] === 'timer') return event[0] === 'time';
  return event.every((part, place) => part === fair[place]);
}

/**
 * Plays every order of events to a depth, each world once. The end of a world is not played if its fair event leads to a world of the next
 * layer: the same requests wait there, and their end is played from there.
 *
 * @throws Broken if more is spent than may be, or if a request is never served once nothing goes wrong any more
 */
export function explore(start: World, depth: number, troubles: Bounds): Explored {
  const depthOf = new Map<string, number>([[keyOf(start), 0]]);
  const served = new Set<string>();
  const layers: number[] = [1];
  const most = new Map<string, number>();
  let [events, longestMs, endings, endingEvents] = [0, 0, 0, 0];

  const end = (node: Node): void => {
    const ended = endOf(node.world, served);
    if (ended.broken !== undefined) throw new Broken(ended.broken, eventsOn(node.path));
    endings += 1;
    endingEvents += ended.events;
    longestMs = Math.max(longestMs, ended.lastsMs);
  };

  let layer: Node[] = [{ world: start, path: undefined }];
  for (let at = 1; at <= depth; at += 1) {
    const next: Node[] = [];
    for (const node of layer) {
      let isPassedOn = false;
      for (const event of eventsOf(node.world, troubles)) {
        const world = after(node.world, event);
        events += 1;
        const one: Node = { world, path: { event, before: node.path } };
        mostOf(most, world);
        const broken = isBeyond(world);
        if (broken !== undefined) throw new Broken(broken, eventsOn(one.path));
        const key = keyOf(world);
        if (!depthOf.has(key)) {
          depthOf.set(key, at);
          next.push(one);
        }
        isPassedOn ||= depthOf.get(key) === at && isFair(event, node.world);
      }
      if (!isPassedOn) end(node);
    }
    layers.push(next.length);
    layer = next;
  }
  for (const node of layer) end(node);
  return { states: depthOf.size, events, layers, most, longestMs, endings, endingEvents };
}

const CALM: ReadonlySet<Event[0]> = new Set(['ask', 'run', 'reply', 'time']);

/** How often any event may come, and not a calm one alone. */
const TROUBLED = 0.15;

/**
 * Plays so many events in an order that is drawn at random.
 *
 * @throws Broken as {@link explore}
 */
export function walk(start: World, length: number, troubles: Bounds, random: () => number): World {
  let world = start;
  const path: Event[] = [];
  for (let count = 0; count < length; count += 1) {
    const all = eventsOf(world, troubles);
    const events = random() < TROUBLED ? all : all.filter(([type]) => CALM.has(type));
    const event = events[Math.floor(random() * events.length)] as Event;
    path.push(event);
    world = after(world, event);
    const broken = isBeyond(world);
    if (broken !== undefined) throw new Broken(broken, path);
  }
  const { broken } = endOf(world);
  if (broken !== undefined) throw new Broken(broken, path);
  return world;
}
