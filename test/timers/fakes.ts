import { createRequire } from 'node:module';
import { mock } from 'node:test';

/** What a test puts in the place of the timers. */
export interface Fakes {
  install(): void;
  remove(): void;
  /** Moves their time. `undefined` for a stub, which calls back by itself. */
  readonly tick?: (durationMs: number) => void;
  /** How many timers they have; `undefined` where nothing says so. */
  readonly pending?: () => number | undefined;
}

/** Timers of the program itself, before anything is faked. */
export const own = { setTimeout, clearTimeout, setImmediate };

/** Promises go on while no time passes. */
export async function turns(): Promise<void> {
  for (let left = 8; left > 0; left -= 1)
    await new Promise<void>((resolve) => void own.setImmediate(resolve));
}

const load = (name: string, from: string = import.meta.url): unknown => createRequire(from)(name);

interface SinonClock {
  tick(durationMs: number): void;
  countTimers(): number;
  uninstall(): void;
}

/** All that they fake unless they are told otherwise. */
function sinonTimers(name: string): Fakes {
  const { install } = load(name) as { install(): SinonClock };
  let clock: SinonClock | undefined;
  return {
    install: () => {
      clock = install();
    },
    remove: () => clock?.uninstall(),
    tick: (durationMs) => clock?.tick(durationMs),
    pending: () => clock?.countTimers(),
  };
}

interface JestFakes {
  useFakeTimers(): void;
  useRealTimers(): void;
  advanceTimersByTime(durationMs: number): void;
  getTimerCount(): number;
}
type JestClass = new (options: object) => JestFakes;

/** As Jest's environment for Node has them: all that they fake unless they are told otherwise. */
function jestTimers(name: string, kind: 'ModernFakeTimers' | 'LegacyFakeTimers'): Fakes {
  const Fakes = (load(name) as Record<typeof kind, JestClass>)[kind];
  const { ModuleMocker } = load('jest-mock', createRequire(import.meta.url).resolve(name)) as {
    ModuleMocker: new (global: object) => object;
  };
  // Jest gives each file a copy of `process`, so that Node itself keeps its ticks, and a global object other than that of
  // sinon's timers, which then leave Node's module of timers alone.
  globalThis.process = Object.create(process);
  const global = new Proxy(globalThis, {
    get: (target, key) => Reflect.get(target, key),
    set: (target, key, value) => Reflect.set(target, key, value),
  });
  const fakes = new Fakes({
    global,
    config: { fakeTimers: {}, rootDir: '/' },
    moduleMocker: new ModuleMocker(global),
    timerConfig: {
      idToRef: (id: number) => ({ id, ref: () => undefined, unref: () => undefined }),
      refToId: (timer?: { readonly id: number }) => timer?.id,
    },
  });
  return {
    install: () => fakes.useFakeTimers(),
    remove: () => fakes.useRealTimers(),
    tick: (durationMs) => fakes.advanceTimersByTime(durationMs),
    pending: () => fakes.getTimerCount(),
  };
}

function nodeTimers(...apis: ('setTimeout' | 'setImmediate')[]): Fakes {
  const hasDate = apis.length === 0;
  return {
    install: () => mock.timers.enable(hasDate ? undefined : { apis }),
    remove: () => mock.timers.reset(),
    tick: (durationMs) => mock.timers.tick(durationMs),
    pending: () => {
      // They do not tell, but `runAll` goes to the last one.
      const startMs = Date.now();
      mock.timers.runAll();
      return hasDate ? Math.sign(Date.now() - startMs) : undefined;
    },
  };
}

export interface Row {
  readonly name: string;
  readonly make: () => Fakes;
  /** When a stub calls back. Its time does not move. */
  readonly stub?: 'at once' | '0 ms';
  /** Why what happens may happen a tick or two after it is due. */
  readonly late?: string;
}

export const NO_DATE = 'They leave `Date` alone, so that real time counts as well.';

/** As one writes it by hand. */
function stub(kind: Row['stub'] & string, name: string, set: (call: () => void) => unknown): Row {
  const install = (): void => {
    globalThis.setTimeout = ((call: () => void) => set(call)) as never;
  };
  const remove = (): void => {
    globalThis.setTimeout = own.setTimeout;
  };
  return { name, stub: kind, make: () => ({ install, remove }) };
}

function atOnce<T>(call: () => void, result: T): T {
  call();
  return result;
}

/** Those of Node, and stubs by hand: nothing is installed for them. */
export const here: readonly Row[] = [
  { name: 'node:test', make: () => nodeTimers() },
  {
    name: 'node:test, timers alone',
    make: () => nodeTimers('setTimeout', 'setImmediate'),
    late: NO_DATE,
  },
  stub('at once', 'a stub that calls at once', (call) => atOnce(call, undefined)),
  stub('at once', 'a stub that calls at once, and returns a number', (call) => atOnce(call, 7)),
  stub('at once', 'a stub that calls at once, and returns null', (call) => atOnce(call, null)),
  stub('0 ms', 'a stub of 0 ms', (call) => own.setTimeout(call, 0)),
  stub('0 ms', 'a stub of 0 ms that returns nothing', (call) => void own.setTimeout(call, 0)),
  stub('0 ms', 'a stub of 0 ms that returns an object', (call) => ({ timer: own.setTimeout(call, 0) })),
];

const sinon = (name: string, folder: string): Row => ({ name, make: () => sinonTimers(folder) });
const jest = (name: string, folder: string): Row[] => [
  { name, make: () => jestTimers(folder, 'ModernFakeTimers') },
  { name: `${name}, legacy`, make: () => jestTimers(folder, 'LegacyFakeTimers'), late: NO_DATE },
];

/** Those that `check timers` installs, of all versions that are still in use. */
export const sinonByVersion: readonly Row[] = [10, 11, 12, 13, 14, 15].map((version) => {
  return sinon(`sinon's timers ${version}`, `sinon-timers-${version}`);
});

/** Jest 27 and 28 have sinon's timers 8 and 9. */
const jestByVersion = [27, 28, 29, 30].flatMap((version) =>
  jest(`Jest ${version}`, `jest-timers-${version}`),
);
export const modernJestByVersion: readonly Row[] = jestByVersion.filter(({ late }) => late === undefined);
export const legacyJestByVersion: readonly Row[] = jestByVersion.filter(({ late }) => late !== undefined);
