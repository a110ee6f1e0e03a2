import type { EbbEvent } from './events.ts';
import { isNamed, lineOf } from './line.ts';

// The channels of Node, Bun, Deno and workers. console.ts has the same names for browsers.

/** The part of a channel of `node:diagnostics_channel` in use. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: EbbEvent): void;
  subscribe(listener: (event: unknown) => void): void;
  [PRINTS]?: boolean;
}

interface NodeLike {
  readonly process?: {
    readonly env?: { readonly NODE_DEBUG?: string };
    readonly pid?: number;
    readonly stderr?: { write(text: string): unknown };
    getBuiltinModule?(id: 'node:diagnostics_channel'): { channel?(name: string): Channel } | undefined;
  };
}

/** Set on a channel whose events a copy of this package prints: the copies in a program share the channels. */
const PRINTS = Symbol.for('@ebb/core prints');

const { process } = globalThis as NodeLike;

// Not imported: a worker may have no such module.
const make = process?.getBuiltinModule?.('node:diagnostics_channel')?.channel;
const isPrinted = isNamed(process?.env?.NODE_DEBUG);

/** The channels of events by their types, each made for its first event. All copies of this package in a program share them. */
const channels: Partial<Record<EbbEvent['type'], Channel>> = {};

function channelOf(type: EbbEvent['type']): Channel | undefined {
  const channel = make?.(`ebb:${type}`);
  if (!channel) return undefined;
  channels[type] = channel;
  if (isPrinted && !channel[PRINTS]) {
    channel[PRINTS] = true;
    channel.subscribe(print);
  }
  return channel;
}

/** Not to the console: a program that sends what its console shows, by a client of ebb, would never end. */
function print(event: unknown): void {
  process?.stderr?.write(`EBB ${process.pid}: ${lineOf(event as EbbEvent)}\n`);
}

/** True if a program listens to the channel of this type of event. */
export function isSubscribed(type: EbbEvent['type']): boolean {
  return (channels[type] ?? channelOf(type))?.hasSubscribers === true;
}

/** Publishes an event on the channel of its type, which was asked for its subscribers before. */
export function publish(type: EbbEvent['type'], event: EbbEvent): void {
  channels[type]?.publish(event);
}
