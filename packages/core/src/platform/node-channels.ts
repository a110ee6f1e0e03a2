/** The part of a channel of `node:diagnostics_channel` in use. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(id: string): { channel?(name: string): Channel } | undefined;
  };
}

/** Not imported: a worker may have no such module. */
const makeChannel = (globalThis as NodeLike).process?.getBuiltinModule?.('node:diagnostics_channel')?.channel;

const channels: Record<string, Channel | undefined> = {};

/** The channel of an event. All copies of this package in a program share it. */
function channelOf(type: string): Channel | undefined {
  channels[type] ??= makeChannel?.(`ebb:${type}`);
  return channels[type];
}

/** True if a program listens to the channel of this type of event. */
export function isSubscribed(type: string): boolean {
  return channelOf(type)?.hasSubscribers === true;
}

/** Publishes an event on the channel of its type. */
export function publish(type: string, event: unknown): void {
  channelOf(type)?.publish(event);
}
