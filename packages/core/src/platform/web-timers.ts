/** A timer function, which may be a fake. Fake timers of sinon, vitest and Jest keep what they replace in their `clock`. */
type Timer = ((...args: unknown[]) => unknown) & {
  readonly clock?: Readonly<Record<string, Timer | undefined>>;
};
type Name = 'setTimeout' | 'clearTimeout' | 'setImmediate';

interface NodeLike {
  readonly process?: { getBuiltinModule?(id: 'node:timers'): Record<Name, Timer> | undefined };
}

/** Those of the browser. Tests with jsdom run in Node, where most fakes replace the globals only. */
function timersNow(): Record<Name, Timer> {
  const node = (globalThis as NodeLike).process?.getBuiltinModule?.('node:timers');
  return node ?? (globalThis as unknown as Record<Name, Timer>);
}

function copyOfTimers(): Readonly<Record<Name, Timer | undefined>> {
  const { setTimeout, clearTimeout, setImmediate } = timersNow();
  return { setTimeout, clearTimeout, setImmediate };
}

/** What they were when this module was loaded: those of the browser, or fakes. Production builds drop it. */
const atImport = /* @__PURE__ */ copyOfTimers();

/** Functions of browsers are native. A bound function looks native, and is a mock. */
function isNative(call: Timer): boolean {
  return /\[native code/.test(Function.prototype.toString.call(call)) && !call.name.startsWith('bound ');
}

/**
 * A timer function of the browser. Fakes fire only when the test says so, but a turn of the event loop is no time: promises and
 * responses need it also while time stands still. Looked up at each call: this module may have been loaded under fakes that are
 * gone by now.
 */
function real(name: Name): Timer {
  let now = timersNow()[name];
  for (let kept: Timer | undefined = now; kept; kept = kept.clock?.[`_${name}`]) now = kept;
  const first = atImport[name];
  return first && !isNative(now) && isNative(first) ? first : now;
}

/** A page has no process that a timer could keep alive. */
export function letExit(_timer: unknown): void {}

/** Browsers have only timers. */
export function immediatesNow(): undefined {}

/** Calls `call` in another turn of the event loop, also beside fake timers. */
export function inNextTurn(call: () => void): void {
  // In tests with jsdom a turn without a timer, which takes a millisecond.
  if ('setImmediate' in timersNow()) real('setImmediate')(call);
  else inRealTime(call, 0);
}

/**
 * Calls `call` after this many milliseconds of real time, also beside fake timers. Returns a function that cancels it.
 *
 * @param delayMs at most 2,147,483,647
 */
export function inRealTime(call: () => void, delayMs: number, _inBackground?: boolean): () => void {
  const timer = real('setTimeout')(call, delayMs);
  return () => real('clearTimeout')(timer);
}

/** A page has no process. */
export function keepAlive<T>(promise: Promise<T>): Promise<T> {
  return promise;
}
