import { createRequire } from 'node:module';
import { mock } from 'node:test';
import { vi } from 'vitest';

/** What a test puts in the place of the timers. */
export interface Faked {
  readonly install: () => void;
  readonly remove: () => void;
  /** Moves the time of the fakes; nothing for a stub that calls back by itself. */
  readonly tick: (durationMs: number) => void;
}

/** The copy of a package that the last of a chain of dependencies has. */
function requireThrough(...names: readonly string[]): unknown {
  let from = import.meta.url;
  for (const name of names.slice(0, -1)) from = createRequire(from).resolve(name);
  return createRequire(from)(names.at(-1) as string);
}

type JestFakes = new (
  options: object,
) => {
  useFakeTimers(): void;
  useRealTimers(): void;
  advanceTimersByTime(durationMs: number): void;
};
const TO_JEST = ['@jest/fake-timers'];
const jest = requireThrough(...TO_JEST) as { LegacyFakeTimers: JestFakes; ModernFakeTimers: JestFakes };
const { ModuleMocker } = requireThrough(...TO_JEST, 'jest-mock') as {
  ModuleMocker: new (global: object) => object;
};
const sinon = requireThrough(...TO_JEST, '@sinonjs/fake-timers') as {
  install(options: { toNotFake: string[] }): { uninstall(): void; tick(durationMs: number): void };
};

function jestTimers(Fakes: JestFakes): Faked {
  const fakes = new Fakes({
    global: globalThis,
    config: { fakeTimers: { doNotFake: ['nextTick', 'queueMicrotask'] }, rootDir: '/' },
    moduleMocker: new ModuleMocker(globalThis),
    timerConfig: { idToRef: (id: number) => id, refToId: (ref: number) => ref },
  });
  return {
    install: () => fakes.useFakeTimers(),
    remove: () => fakes.useRealTimers(),
    tick: (durationMs) => fakes.advanceTimersByTime(durationMs),
  };
}

function sinonTimers(): Faked {
  let clock: ReturnType<typeof sinon.install> | undefined;
  return {
    install: () => {
      // Without a microtask vitest loads no module.
      clock = sinon.install({ toNotFake: ['nextTick', 'queueMicrotask'] });
    },
    remove: () => clock?.uninstall(),
    tick: (durationMs) => clock?.tick(durationMs),
  };
}

function vitestTimers(...toFake: ('setTimeout' | 'clearTimeout')[]): Faked {
  return {
    install: () => void vi.useFakeTimers(toFake.length === 0 ? undefined : { toFake }),
    remove: () => void vi.useRealTimers(),
    tick: (durationMs) => void vi.advanceTimersByTime(durationMs),
  };
}

/** A stub as one writes it by hand. It does not move `performance.now`. */
function byHand(stub: (call: () => void, own: typeof setTimeout) => unknown): Faked {
  const own = globalThis.setTimeout;
  return {
    install: () => {
      globalThis.setTimeout = ((call: () => void) => stub(call, own)) as never;
    },
    remove: () => {
      globalThis.setTimeout = own;
    },
    tick: () => undefined,
  };
}

function atOnce<T>(call: () => void, result: T): T {
  call();
  return result;
}

export const faked: readonly [name: string, make: () => Faked][] = [
  ['vitest', () => vitestTimers()],
  ['vitest, timers alone', () => vitestTimers('setTimeout', 'clearTimeout')],
  ['sinon', sinonTimers],
  ['Jest', () => jestTimers(jest.ModernFakeTimers)],
  ['Jest, legacy', () => jestTimers(jest.LegacyFakeTimers)],
  [
    'node:test',
    () => ({
      install: () => mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] }),
      remove: () => mock.timers.reset(),
      tick: (durationMs) => mock.timers.tick(durationMs),
    }),
  ],
  ['a stub that calls at once', () => byHand((call) => atOnce(call, undefined))],
  ['a stub that calls at once, and returns a number', () => byHand((call) => atOnce(call, 7))],
  ['a stub that calls at once, and returns null', () => byHand((call) => atOnce(call, null))],
  ['a stub of 0 ms', () => byHand((call, own) => own(call, 0))],
  ['a stub of 0 ms that returns nothing', () => byHand((call, own) => void own(call, 0))],
  ['a stub of 0 ms that returns an object', () => byHand((call, own) => ({ timer: own(call, 0) }))],
];
