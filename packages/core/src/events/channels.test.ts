import { afterEach, expect, test, vi } from 'vitest';
import type { EbbEvent } from './events.ts';

const { getBuiltinModule } = process;

afterEach(() => {
  vi.unstubAllEnvs();
  process.getBuiltinModule = getBuiltinModule;
});

const event = { type: 'retry', request: { method: 'GET', url: '/a' }, attempt: 1, atMs: 0 } as EbbEvent;

let copies = 0;

test.each([undefined, {}])('without channels, but with %j, there are no subscribers', async (module) => {
  vi.stubEnv('NODE_DEBUG', 'ebb');
  process.getBuiltinModule = ((id: string) =>
    id === 'node:diagnostics_channel' ? module : getBuiltinModule(id)) as never;
  copies += 1;
  const copy = `./channels.ts?copy=${copies}`;
  const { isSubscribed, publish } = (await import(copy)) as typeof import('./channels.ts');
  expect(isSubscribed('retry')).toBe(false);
  expect(() => publish('retry', event)).not.toThrow();
});
