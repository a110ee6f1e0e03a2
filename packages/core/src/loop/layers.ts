import type { RequestTraits } from '../http/outcome.ts';
import { type LayeredCall, NO_LAYERS, type Passage, type Surroundings, type Way } from './layer.ts';

interface Storage {
  getStore(): Passage | undefined;
  run<T>(store: Passage, callback: () => T): T;
  disable?(): void;
}

/** State that all copies of this package in a program share. */
interface Shared {
  /** The number of layers in the program. With one, calls need no passage. */
  layers: number;
  /** How many of them are dispatchers. */
  dispatchers: number;
  /** How many calls are open. They count even if their clients do not any more. */
  open: number;
  /** True once a layer is gone: the async context may be switched off. */
  mayRest: boolean;
  /** The `fetch` of the runtime: the global one when the first copy of this package was loaded. */
  readonly nativeFetch: unknown;
  readonly storage: Storage | undefined;
  /** The passage of the call that is being passed on synchronously. */
  current: Passage | undefined;
  /** Without a storage: the results of layers, with the number of their end. */
  readonly ended: WeakMap<object, number>;
  ends: number;
}

const SHARED: unique symbol = Symbol.for('@ebb/core layers');

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(id: string): { readonly AsyncLocalStorage: new () => Storage } | undefined;
  };
}

/** Not imported: browsers have no such module, and bundlers fail on its name. */
function asyncStorage(): Storage | undefined {
  const hooks = (globalThis as NodeLike).process?.getBuiltinModule?.('node:async_hooks');
  return hooks?.AsyncLocalStorage && new hooks.AsyncLocalStorage();
}

/** No layer can be in it: every layer needs this package, which is being loaded. */
const fetchAtLoad: unknown = globalThis.fetch;

let known: Shared | undefined;

function shared(): Shared {
  if (known !== undefined) return known;
  const holder = globalThis as { [SHARED]?: Shared };
  holder[SHARED] ??= {
    layers: 0,
    dispatchers: 0,
    open: 0,
    mayRest: false,
    nativeFetch: fetchAtLoad,
    storage: asyncStorage(),
    current: undefined,
    ended: new WeakMap(),
    ends: 0,
  };
  known = holder[SHARED];
  return known;
}

function uncountLayer(isDispatcher: boolean): void {
  const state = shared();
  state.layers -= 1;
  if (isDispatcher) state.dispatchers -= 1;
  state.mayRest = true;
  rest(state);
}

/** Async context costs every `await` of the program in some versions of Node. */
function rest(state: Shared): void {
  if (!state.mayRest || state.layers > 1 || state.open > 0) return;
  state.mayRest = false;
  state.storage?.disable?.();
}

let collected: FinalizationRegistry<boolean> | undefined;

/**
 * Counts a layer: a wrapped fetch, a composed dispatcher, an interceptor.
 *
 * @param layer what lives as long as the function that the user has, and as each call that finds its layers late: once it is
 *   garbage-collected, the layer does not count any more
 */
export function countLayer(isDispatcher = false, layer?: object): void {
  const state = shared();
  state.layers += 1;
  if (isDispatcher) state.dispatchers += 1;
  if (layer === undefined) return;
  collected ??= new FinalizationRegistry(uncountLayer);
  collected.register(layer, isDispatcher);
}

/** True if a call may have been made within another one: by a layer above, or by user code that another call runs. */
export function areLayered(): boolean {
  const { layers, open } = shared();
  return layers > 1 || open > 0;
}

/**
 * True if a call that is sent this way may pass through another layer, and so needs a passage. That costs 0.4 µs per
 * request, and makes every `await` slower on Node 22.
 */
export function mayBeLayered(way: Way): boolean {
  const { layers, dispatchers } = shared();
  if (way === 'function') return true;
  if (layers < 2 || way === 'socket') return false;
  return way !== 'native-fetch' || dispatchers > 0;
}

/** True if the code that runs now is part of an open call. */
export function isWithinCall(): boolean {
  const { open, storage, current } = shared();
  if (open === 0) return false;
  return storage?.getStore()?.call.open === true || current?.call.open === true;
}

/** True for the runtime's own fetch, in which there is no layer. */
export function isNativeFetch(fetch: unknown): boolean {
  return fetch === shared().nativeFetch;
}

/** The URL in the normal form of all clients, without the fragment, which is not sent. */
function hrefOf({ url }: RequestTraits): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  parsed.hash = '';
  return parsed.href;
}

function isSame(one: RequestTraits, other: RequestTraits): boolean {
  return one === other || (one.method === other.method && hrefOf(one) === hrefOf(other));
}

/**
 * Finds the layers above a request. A different request that starts inside an open call, for a token for example, is a
 * call of its own. A dispatcher takes it for the next hop of a redirect instead, once it has seen the call itself.
 *
 * @param carried what the options of the request hold under {@link LAYER}
 * @param isDispatch true if this layer is a dispatcher, below the code that follows redirects
 */
export function surroundings(request: RequestTraits, carried: unknown, isDispatch: boolean): Surroundings {
  if (!areLayered()) return NO_LAYERS;
  const { storage, current } = shared();
  const passage = carried as Passage | undefined;
  if (passage?.call.open === true) {
    if (isDispatch) passage.call.dispatched = true;
    passage.call.isReached = true;
    return { outer: passage, slotsOf: passage.call.slotsOf };
  }
  let maker: LayeredCall | undefined;
  for (const found of [storage?.getStore(), current]) {
    if (found?.call.open !== true) continue;
    const { call } = found;
    const isOfCall = call.request !== undefined && isSame(call.request, request);
    if (isOfCall && isDispatch) call.dispatched = true;
    if (isOfCall || (isDispatch && call.dispatched)) {
      call.isReached = true;
      return { outer: found, slotsOf: call.slotsOf };
    }
    maker = call;
  }
  return maker === undefined ? NO_LAYERS : { outer: undefined, slotsOf: maker.slotsOf, maker };
}

/** Tells the user code around a call that it need not be repeated: the call has been, and has failed. */
export function noteFailure({ maker }: Surroundings): void {
  if (maker !== undefined) maker.hasFailed = true;
}

/**
 * Runs user code that a call waits for while it holds slots. What it sends through the limits of these slots does not wait
 * for another slot: all of them may be held by calls that wait in the same way.
 *
 * Without async context, as in browsers, that holds until the code first waits for something.
 */
export async function withSlots<T>(
  slotsOf: readonly object[],
  run: () => T | PromiseLike<T>,
): Promise<Awaited<T>> {
  const call: LayeredCall = { request: undefined, open: false, dispatched: false, slotsOf };
  openCall(call);
  try {
    return await within({ call, tookFrom: [] }, run);
  } finally {
    closeCall(call);
  }
}

/** To be called before a call, or user code, may make others; {@link closeCall} after it. */
export function openCall(call: LayeredCall): void {
  call.open = true;
  shared().open += 1;
}

export function closeCall(call: LayeredCall): void {
  call.open = false;
  const state = shared();
  state.open -= 1;
  rest(state);
}

/** True if what user code sends can always be told from what others send. */
export function knowsAsyncContext(): boolean {
  return shared().storage !== undefined;
}

/** Calls what sends a request, so that the layers below find the passage. */
export function within<T>(passage: Passage, send: () => T): T {
  const state = shared();
  const before = state.current;
  state.current = passage;
  try {
    return state.storage === undefined ? send() : state.storage.run(passage, send);
  } finally {
    state.current = before;
  }
}

/** The number of the next end: everything that ends from now on has this number or a higher one. */
export function nextEnd(): number {
  return shared().ends;
}

/**
 * Notes the result that a layer has ended with. Needed without a storage only, as in browsers: a layer that did not find
 * the one above it may have retried, and the one above must not retry the same result again.
 */
export function noteEnd(result: unknown): void {
  const state = shared();
  if (state.storage !== undefined || state.layers < 2) return;
  if (typeof result !== 'object' || result === null) return;
  state.ended.set(result, state.ends);
  state.ends += 1;
}

/** True if a layer below has ended with this result since the end of that number. */
export function hasEndedBelow(result: unknown, since: number): boolean {
  const { storage, ended } = shared();
  if (storage !== undefined || typeof result !== 'object' || result === null) return false;
  return (ended.get(result) ?? -1) >= since;
}
