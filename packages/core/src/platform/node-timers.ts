/** The timers of Deno are numbers, as in browsers. */
declare const Deno: { unrefTimer?(timer: unknown): void } | undefined;

/** Exists in Node, Bun and Deno. Workers may have none. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare const clearImmediate: (immediate: unknown) => void;

interface Timers {
  readonly setTimeout: (call: () => void, delayMs: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
  readonly setImmediate: ((call: () => void) => unknown) | undefined;
}

/** May be a fake. */
interface Fake {
  readonly name: string;
  readonly clock?: Readonly<Record<string, Fake | undefined>>;
}

interface NodeLike {
  readonly process?: { getBuiltinModule?(id: 'node:timers'): Timers | undefined };
}

/** Those of Node's module, as most fakes replace the globals only; else the globals. */
function timersNow(): Timers {
  const node = (globalThis as NodeLike).process?.getBuiltinModule?.('node:timers');
  const { setTimeout, clearTimeout, setImmediate } = node ?? (globalThis as unknown as Timers);
  return { setTimeout, clearTimeout, setImmediate };
}

/** What they were when this module was loaded: those of the runtime, or fakes. */
const atImport: Timers = timersNow();

/** Node marks its own timers so. Other runtimes have native functions. A bound function looks native, and is a mock. */
function isOfRuntime(call: { readonly name: string }): boolean {
  if (Symbol.for('nodejs.util.promisify.custom') in call) return true;
  return /\[native code\]/.test(Function.prototype.toString.call(call)) && !call.name.startsWith('bound ');
}

/**
 * A timer function of the runtime. Fakes fire only when the test says so, but a turn of the event loop is no time: sockets and
 * promises need it also while time stands still. Looked up at each call: this module may have been loaded under fakes that are
 * gone by now.
 */
function real<Name extends keyof Timers>(name: Name): Timers[Name] {
  let now: Fake | undefined = timersNow()[name];
  // Fake timers of sinon, vitest and Jest keep what they replace.
  for (let kept = now; kept !== undefined; kept = kept.clock?.[`_${name}`]) now = kept;
  const first = atImport[name];
  const isFirst = now !== undefined && first !== undefined && !isOfRuntime(now) && isOfRuntime(first);
  return (isFirst ? first : now) as Timers[Name];
}

/** Lets the process end while this timer is pending. */
export function letExit(timer: unknown): void {
  // A stub may return anything.
  if (typeof timer === 'object') (timer as { unref?(): void } | null)?.unref?.();
  else if (typeof Deno === 'object' && typeof timer === 'number') Deno.unrefTimer?.(timer);
}

interface Immediates {
  readonly set: (call: () => void) => unknown;
  readonly clear: (immediate: never) => void;
}

/** What calls back in the next turn of the event loop without a timer, or as fake timers have it; `undefined` if nothing does. */
export function immediatesNow(): Immediates | undefined {
  return typeof setImmediate === 'function' ? { set: setImmediate, clear: clearImmediate } : undefined;
}

/** Calls `call` in another turn of the event loop, also beside fake timers. */
export function inNextTurn(call: () => void): void {
  const setImmediate = real('setImmediate');
  if (setImmediate) setImmediate(call);
  else real('setTimeout')(call, 0);
}

/**
 * Calls `call` after this many milliseconds of real time, also beside fake timers. Returns a function that cancels it.
 *
 * @param delayMs at most 2,147,483,647
 * @param inBackground lets the process end meanwhile
 */
export function inRealTime(call: () => void, delayMs: number, inBackground?: boolean): () => void {
  const set = real('setTimeout');
  // Only the one that belongs to it clears its timer. Node marks those alone that set one.
  const clear = set === atImport.setTimeout ? atImport.clearTimeout : real('clearTimeout');
  const timer = set(call, delayMs);
  if (inBackground) letExit(timer);
  return () => clear(timer);
}

let waiting = 0;
let letEnd = (): void => undefined;

/** Keeps the process alive until a promise settles. Returns the same promise. */
export function keepAlive<T>(promise: Promise<T>): Promise<T> {
  waiting += 1;
  if (waiting === 1) letEnd = inRealTime(() => undefined, 2 ** 31 - 1);
  const settled = (): void => {
    waiting -= 1;
    if (waiting === 0) letEnd();
  };
  promise.then(settled, settled);
  return promise;
}
