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

/** Channels by their names, which all copies of this package in a program share. */
export function channelsOf<Name extends string>(
  names: readonly Name[],
): Readonly<Record<Name, Channel>> | undefined {
  if (makeChannel === undefined) return undefined;
  return Object.fromEntries(names.map((name) => [name, makeChannel(`ebb:${name}`)])) as Record<Name, Channel>;
}
