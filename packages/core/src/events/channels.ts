import type { EbbEvent } from './events.ts';
import { isNamed, lineOf } from './line.ts';

// The channels of Node, Bun, Deno and workers. console.ts has the same names for browsers.

/** The part of a channel of `node:diagnostics_channel` in use. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: EbbEvent): void;
  subscribe(listener: (event: unknown) => void): void;
}

interface NodeLike {
  readonly process?: {
    readonly env?: { readonly NODE_DEBUG?: string };
    readonly pid?: number;
    readonly stderr?: { write(text: string): unknown };
    getBuiltinModule?(id: 'node:diagnostics_channel'): { channel?(name: string): Channel } | undefined;
  };
  [PRINTS]?: boolean;
}

/** Set once a copy of this package prints: the copies in a program share the channels. */
const PRINTS = Symbol.for('@ebb/core prints');

const host = globalThis as NodeLike;

const EVENTS = [
  'wait',
  'mark',
  'attempt',
  'retry',
  'hedge',
  'nested-retries',
  'attempt-skipped',
  'throttle',
  'end',
  'resume',
  'resume-end',
] as const;
type Name = (typeof EVENTS)[number];

/** The channels of events by their types. All copies of this package in a program share them. */
const channels: Readonly<Record<Name, Channel>> | undefined = makeChannels();

function makeChannels(): Readonly<Record<Name, Channel>> | undefined {
  // Not imported: a worker may have no such module.
  const make = host.process?.getBuiltinModule?.('node:diagnostics_channel')?.channel;
  if (make === undefined) return undefined;
  const all = EVENTS.map((name) => [name, make(`ebb:${name}`)] as const);
  const names = host.process?.env?.NODE_DEBUG;
  if (names && isNamed(names) && !host[PRINTS]) {
    host[PRINTS] = true;
    for (const [, channel] of all) channel.subscribe(print);
  }
  return Object.fromEntries(all) as Record<Name, Channel>;
}

/** Not to the console: a program that sends what its console shows, by a client of ebb, would never end. */
function print(event: unknown): void {
  host.process?.stderr?.write(`EBB ${host.process.pid}: ${lineOf(event as EbbEvent)}\n`);
}

/** True if a program listens to the channel of this type of event. */
export function isSubscribed(type: Name): boolean {
  return channels?.[type].hasSubscribers === true;
}

/** Publishes an event on the channel of its type. */
export function publish(type: Name, event: EbbEvent): void {
  channels?.[type].publish(event);
}
