// nested. web.ts has the same names. Selected by the conditions of "imports" in package.json.
import { isPromise } from '../base/errors.ts';
import { AroundCalls, type OuterCall, type Way } from './outer-call.ts';

export { nestedRetriesOf } from './nested-retries.ts';

interface Storage {
  getStore(): OuterCall | undefined;
  run<T>(call: OuterCall, callback: () => T): T;
}

/** State that all copies of this package in a program share. */
interface ProgramState {
  /**
   * The number of clients in the program, and how many of them are dispatchers. The numbers only go up: a call may use a client
   * that seems gone.
   */
  clients: number;
  dispatchers: number;
  /** The `fetch` of the runtime: the global one when the first copy of this package was loaded. */
  readonly nativeFetch: unknown;
  /** Made when a call first needs it: in Node 22 it makes each `await` slower. */
  storage: Storage | undefined;
}

const SHARED: unique symbol = Symbol.for('@ebb/core nested');

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(id: string): { readonly AsyncLocalStorage: new () => Storage } | undefined;
  };
}

/** No client of ebb can be in it: each needs this package, which is being loaded. */
const fetchAtLoad: unknown = globalThis.fetch;

let known: ProgramState | undefined;

function programState(): ProgramState {
  if (known !== undefined) return known;
  const holder = globalThis as { [SHARED]?: ProgramState };
  holder[SHARED] ??= { clients: 0, dispatchers: 0, nativeFetch: fetchAtLoad, storage: undefined };
  known = holder[SHARED];
  return known;
}

/** Not imported: browsers have no such module, and bundlers fail on its name. */
const hooks = (globalThis as NodeLike).process?.getBuiltinModule?.('node:async_hooks');

/** True if calls within another find that by the async context, and need nothing in their options. */
export const hasContext: boolean = hooks !== undefined;

/** Counts a client: a wrapped fetch, a composed dispatcher, an interceptor. */
export function countClient(isDispatcher = false): void {
  const state = programState();
  state.clients += 1;
  if (isDispatcher) state.dispatchers += 1;
}

/** True for the runtime's own fetch, in which there is no client of ebb. */
export function isNativeFetch(fetch: unknown): boolean {
  return fetch === programState().nativeFetch;
}

/** True if a call that is sent this way may pass another client, which must find it. */
export function mayNest(way: Way): boolean {
  if (way === 'function' || way === 'converted') return true;
  const { clients, dispatchers } = programState();
  if (clients < 2 || way === 'socket') return false;
  return way !== 'native-fetch' || dispatchers > 0;
}

/** True if nested calls cannot find a call by their options alone. Interceptors of undici pass options on. */
export function needsContext(way: Way): boolean {
  const { clients, dispatchers } = programState();
  return way !== 'dispatcher' || clients > dispatchers;
}

/**
 * The call around a request; `undefined` if there is none.
 *
 * @param carried what the options of the request hold under `LAYER`
 */
export function outerCall(carried?: unknown): OuterCall | undefined {
  const given = carried as OuterCall | undefined;
  if (given?.isOpen) return given;
  const found = programState().storage?.getStore();
  return found?.isOpen ? found : undefined;
}

/** Runs code that may make calls within this one. Such calls find this one at any later time. */
export function runWithin<T>(call: OuterCall, run: () => T): T {
  const state = programState();
  state.storage ??= hooks && new hooks.AsyncLocalStorage();
  return state.storage ? state.storage.run(call, run) : run();
}

/**
 * Runs user code for which a call waits while it holds slots. A request of the user code does not wait for another slot of the
 * same limits: all slots may be held by calls that wait in the same way.
 */
export function runHolding<T>(slotsHeld: readonly object[], run: () => T): T {
  const call = new AroundCalls(undefined, slotsHeld);
  const end = (): void => {
    call.isOpen = false;
  };
  let made: T | undefined;
  try {
    made = runWithin(call, run);
    return made;
  } finally {
    if (isPromise(made)) made.then(end, end);
    else end();
  }
}
