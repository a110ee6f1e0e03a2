// What only Node, Bun, Deno and workers have, or need. web.ts has the same names. Selected by the conditions of "imports" in
// package.json. Keep imports minimal: everything imports this module.
export { keptByCopies, makeStamp } from './node-stamp.ts';

/** The clients of Node see bodies end. */
export const seesBodiesEnd = true;

/** Bodies may be streams of Node. */
export const hasNodeStreams = true;

/** The part of a channel of `node:diagnostics_channel` in use. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(id: string): { channel?(name: string): Channel } | undefined;
    emitWarning?(warning: Error): void;
  };
  reportError?(error: unknown): void;
}

/** Not imported: a worker may have no such module. */
const makeChannel = (globalThis as NodeLike).process?.getBuiltinModule?.('node:diagnostics_channel')?.channel;

const EVENTS = [
  'throttle',
  'mark',
  'attempt',
  'retry',
  'hedge',
  'other-retries',
  'skip',
  'share',
  'end',
  'resume',
] as const;
type Name = (typeof EVENTS)[number];

/** The channels of events by their types. All copies of this package in a program share them. */
const channels =
  makeChannel &&
  (Object.fromEntries(EVENTS.map((name) => [name, makeChannel(`ebb:${name}`)])) as Record<Name, Channel>);

/** True if a program listens to the channel of this type of event. */
export function isSubscribed(type: Name): boolean {
  return channels?.[type].hasSubscribers === true;
}

/** Publishes an event on the channel of its type. */
export function publish(type: Name, event: unknown): void {
  channels?.[type].publish(event);
}

/** Warns as Node does if possible, since `reportError` ends the process in Deno. */
export function emit(warning: Error): void {
  const { process, reportError } = globalThis as NodeLike;
  if (typeof process?.emitWarning === 'function') process.emitWarning(warning);
  else if (typeof reportError === 'function') reportError(warning);
}
