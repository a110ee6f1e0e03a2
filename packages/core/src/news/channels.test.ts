import { afterEach, expect, test, vi } from 'vitest';
import type { EbbEvent } from './events.ts';
import { lineOf } from './line.ts';

const { getBuiltinModule } = process;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  process.getBuiltinModule = getBuiltinModule;
});

const NAMES = [
  'wait',
  'mark',
  'attempt',
  'retry',
  'hedge',
  'other-retries',
  'skip',
  'share',
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

/** Channels in memory. As those of Node, each is there once. */
function channelsOf(subscribed: readonly string[] = []) {
  const published: unknown[] = [];
  const listeners: [string, (event: unknown) => void][] = [];
  const made = new Map<string, object>();
  const make = (name: string) => ({
    hasSubscribers: subscribed.includes(name),
    publish: (message: unknown) => void published.push([name, message]),
    subscribe: (listener: (event: unknown) => void) => void listeners.push([name, listener]),
  });
  const channel = (name: string) => {
    const one = made.get(name) ?? make(name);
    made.set(name, one);
    return one;
  };
  return { published, listeners, made, module: { channel } };
}

test('an event is published on the channel of its type, which is made when it is asked for', async () => {
  const { published, listeners, made, module } = channelsOf(['ebb:retry', 'ebb:end']);
  const { isSubscribed, publish } = await load(undefined, module);
  expect(made.size).toBe(0);
  publish('retry', event);
  expect(published).toEqual([]);
  expect(NAMES.filter((name) => isSubscribed(name as 'end'))).toEqual(['retry', 'end']);
  expect([...made.keys()]).toEqual(NAMES.map((name) => `ebb:${name}`));
  publish('retry', event);
  expect(published).toEqual([['ebb:retry', event]]);
  expect(listeners).toEqual([]);
});

test.each([undefined, {}])('without channels, but with %j, there are no subscribers', async (module) => {
  const { isSubscribed, publish } = await load('ebb', module);
  expect(isSubscribed('retry')).toBe(false);
  expect(() => publish('retry', event)).not.toThrow();
});

test('NODE_DEBUG=ebb prints each event once, however many copies there are', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { listeners, module } = channelsOf();
  for (let copy = 0; copy < 2; copy += 1) {
    const { isSubscribed } = await load('http,ebb', module);
    for (const name of [...NAMES, ...NAMES]) isSubscribed(name as 'end');
  }
  expect(listeners.map(([name]) => name)).toEqual(NAMES.map((name) => `ebb:${name}`));
  for (const [, listener] of listeners) listener(event);
  expect(written.mock.calls).toEqual(NAMES.map(() => [`EBB ${process.pid}: ${lineOf(event)}\n`]));
});
