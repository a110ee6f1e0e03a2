import { afterEach, expect, test, vi } from 'vitest';
import type { EbbEvent } from './events.ts';
import { lineOf } from './line.ts';

const PRINTS = Symbol.for('@ebb/core prints');
const host = globalThis as { [PRINTS]?: boolean };
const before = host[PRINTS];
const { getBuiltinModule } = process;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.getBuiltinModule = getBuiltinModule;
  if (before === undefined) delete host[PRINTS];
  else host[PRINTS] = before;
});

const NAMES = [
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
];
const event: EbbEvent = {
  type: 'retry',
  request: { method: 'GET', url: '/a' },
  attempt: 1,
  atMs: 0,
} as never;

let copies = 0;

/** A new copy of the module, in a program with these channels. */
async function load(debug: string | undefined, module: unknown) {
  vi.stubEnv('NODE_DEBUG', debug);
  process.getBuiltinModule = ((id: string) =>
    id === 'node:diagnostics_channel' ? module : getBuiltinModule(id)) as never;
  copies += 1;
  const copy = `./channels.ts?copy=${copies}`;
  return (await import(copy)) as typeof import('./channels.ts');
}

/** Channels in memory. */
function channelsOf(subscribed: readonly string[] = []) {
  const published: unknown[] = [];
  const listeners = new Map<string, (event: unknown) => void>();
  const channel = (name: string) => ({
    hasSubscribers: subscribed.includes(name),
    publish: (message: unknown) => void published.push([name, message]),
    subscribe: (listener: (event: unknown) => void) => void listeners.set(name, listener),
  });
  return { published, listeners, module: { channel } };
}

test('an event is published on the channel of its type', async () => {
  delete host[PRINTS];
  const { published, listeners, module } = channelsOf(['ebb:retry', 'ebb:end']);
  const { isSubscribed, publish } = await load(undefined, module);
  expect(NAMES.filter((name) => isSubscribed(name as 'end'))).toEqual(['retry', 'end']);
  publish('retry', event);
  expect(published).toEqual([['ebb:retry', event]]);
  expect([listeners.size, PRINTS in host]).toEqual([0, false]);
});

test.each([undefined, {}])('without channels, but with %j, there are no subscribers', async (module) => {
  const { isSubscribed, publish } = await load('ebb', module);
  expect(isSubscribed('retry')).toBe(false);
  expect(() => publish('retry', event)).not.toThrow();
});

test('NODE_DEBUG=ebb prints each event once, however many copies there are', async () => {
  delete host[PRINTS];
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const [first, second] = [channelsOf(), channelsOf()];
  await load('http,ebb', first.module);
  await load('http,ebb', second.module);
  expect([...first.listeners.keys()]).toEqual(NAMES.map((name) => `ebb:${name}`));
  expect(second.listeners.size).toBe(0);
  for (const listener of first.listeners.values()) listener(event);
  expect(written.mock.calls).toEqual(NAMES.map(() => [`EBB ${process.pid}: ${lineOf(event)}\n`]));
});
