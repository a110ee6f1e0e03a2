import { isPromise } from '../base/errors.ts';
import type { RequestTraits } from '../http/outcome.ts';
import { type LayeredCall, type LayersFound, NO_LAYERS, type Passage, type Way } from './layer.ts';

export { otherRetriesOf } from './layer.ts';

interface Storage {
  getStore(): Passage | undefined;
  run<T>(store: Passage, callback: () => T): T;
}

/** State that all copies of this package in a program share. */
interface Shared {
  /** The number of layers in the program. With one, calls need no passage. */
  layers: number;
  /** How many of them are dispatchers. */
  dispatchers: number;
  /** How many calls are open. */
  open: number;
  /** The `fetch` of the runtime: the global one when the first copy of this package was loaded. */
  readonly nativeFetch: unknown;
  readonly storage: Storage | undefined;
  /** The passage of the call that is being passed on synchronously. */
  current: Passage | undefined;
  /** What layers have failed with, with the number of its end. */
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
  // Compared: each call asks several times, and a test for truth takes 50 instructions more of it.
  if (known !== undefined) return known;
  const holder = globalThis as { [SHARED]?: Shared };
  holder[SHARED] ??= {
    layers: 0,
    dispatchers: 0,
    open: 0,
    nativeFetch: fetchAtLoad,
    storage: asyncStorage(),
    current: undefined,
    ended: new WeakMap(),
    ends: 0,
  };
  known = holder[SHARED];
  return known;
}

/** Counts a layer: a wrapped fetch, a composed dispatcher, an interceptor. Never down: a call may still use one that seems gone. */
export function countLayer(isDispatcher = false): void {
  const state = shared();
  state.layers += 1;
  if (isDispatcher) state.dispatchers += 1;
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
  if (way === 'function' || way === 'converted') return true;
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
export function layersFound(request: RequestTraits, carried: unknown, isDispatch: boolean): LayersFound {
  if (!areLayered()) return NO_LAYERS;
  const { storage, current } = shared();
  const passage = carried as Passage | undefined;
  let maker: LayeredCall | undefined;
  for (const found of [passage, storage?.getStore(), current]) {
    if (found?.call.open !== true) continue;
    const { call } = found;
    const isOfCall = found === passage || (call.request && isSame(call.request, request));
    if (isOfCall && isDispatch) call.dispatched = true;
    if (isOfCall || (isDispatch && call.dispatched)) {
      call.isReached = true;
      return { outer: found, slotsOf: call.slotsOf };
    }
    maker = call;
  }
  return maker ? { outer: undefined, slotsOf: maker.slotsOf, maker } : NO_LAYERS;
}

/** Tells the user code around a call that it need not be repeated: the call has been, and has failed. */
export function noteFailure({ maker }: LayersFound): void {
  if (maker) maker.hasFailed = true;
}

/**
 * Runs user code that a call waits for while it holds slots. What it sends through the limits of these slots does not wait
 * for another slot: all of them may be held by calls that wait in the same way.
 *
 * Without async context, as in browsers, that holds until the code first waits for something.
 */
export function withSlots<T>(slotsOf: readonly object[], run: () => T): T {
  const call: LayeredCall = { request: undefined, open: false, dispatched: false, slotsOf };
  const end = (): void => closeCall(call);
  openCall(call);
  let made: T | undefined;
  try {
    made = runIn({ call, tookFrom: [] }, run);
    return made;
  } finally {
    if (isPromise(made)) made.then(end, end);
    else end();
  }
}

/** To be called before a call, or user code, may make others; {@link closeCall} after it. */
export function openCall(call: LayeredCall): void {
  call.open = true;
  shared().open += 1;
}

export function closeCall(call: LayeredCall): void {
  call.open = false;
  shared().open -= 1;
}

/** Calls what sends a request, so that the layers below find the passage. */
export function runIn<T>(passage: Passage, send: () => T): T {
  const state = shared();
  const before = state.current;
  state.current = passage;
  try {
    return state.storage ? state.storage.run(passage, send) : send();
  } finally {
    state.current = before;
  }
}

/** To be taken when an attempt is sent: what {@link hasEndedBelow} needs of that time. */
export function sentNow(): number {
  return shared().ends;
}

/**
 * Notes what a layer has failed with. One that did not find the layer above it has retried, and the one above must not retry the same
 * result again.
 */
export function noteEnd(result: unknown): void {
  const state = shared();
  if (state.layers > 1 && Object(result) === result) state.ended.set(result as object, state.ends++);
}

/** True if a layer below has failed with this result since. */
export function hasEndedBelow(result: unknown, since: number): boolean {
  const { ended, ends } = shared();
  return ends > since && (ended.get(result as object) ?? -1) >= since;
}
