import type { RequestTraits } from '../http/outcome.ts';
import type { ConcurrencyLimit } from '../limits/contracts.ts';

/**
 * Several layers of ebb may lie in the way of one call: a fetch over a fetch, axios over a dispatcher. Of them
 * the outermost retries, and the inner ones send once. This file is how an inner layer finds out that it is one.
 *
 * Three ways lead there, and none touches what goes over the wire: a symbol in the options, which interceptors
 * copy on; Node's `AsyncLocalStorage`, which Bun, Deno and workerd have too; and a mark that is set while the
 * layer below is called, for what happens in that very turn.
 */
export interface Passage {
  /** The call itself, the same for all of its layers. */
  readonly call: LayeredCall;
  /** The buckets that the layers above took tokens from for this attempt. */
  readonly tookFrom: readonly object[];
}

/** One call, as all of its layers see it. */
export interface LayeredCall {
  readonly request: RequestTraits;
  /** `false` once the outermost layer is done: a socket or a timer may keep the context of a call for ever. */
  open: boolean;
  /** Whether a dispatcher has seen it: what is dispatched to another URL after that follows a redirect. */
  dispatched: boolean;
  /** The limits whose slots it holds, those of the calls around it included. */
  slotsOf: readonly ConcurrencyLimit[];
}

/** Where options hold the {@link Passage} of their call. Shared by every copy of this package in a program. */
export const LAYER: unique symbol = Symbol.for('@ebb/core layer');

interface Storage {
  getStore(): Passage | undefined;
  run<T>(store: Passage, callback: () => T): T;
}

/** What all copies of this package in a program share. */
interface Shared {
  /** How many layers were made. Of one alone there is nothing to tell. */
  layers: number;
  readonly storage: Storage | undefined;
  /** The passage of the call that is being handed down in this turn. */
  current: Passage | undefined;
  /** Without a storage: what a layer has ended with, and which of all ends that was. */
  readonly ended: WeakMap<object, number>;
  ends: number;
}

const SHARED: unique symbol = Symbol.for('@ebb/core layers');

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(id: string): { readonly AsyncLocalStorage: new () => Storage } | undefined;
  };
}

/** Not imported: browsers have no such module, and a bundler would stumble over its name. */
function asyncStorage(): Storage | undefined {
  const hooks = (globalThis as NodeLike).process?.getBuiltinModule?.('node:async_hooks');
  return hooks?.AsyncLocalStorage && new hooks.AsyncLocalStorage();
}

let known: Shared | undefined;

function shared(): Shared {
  if (known !== undefined) return known;
  const holder = globalThis as { [SHARED]?: Shared };
  holder[SHARED] ??= {
    layers: 0,
    storage: asyncStorage(),
    current: undefined,
    ended: new WeakMap(),
    ends: 0,
  };
  known = holder[SHARED];
  return known;
}

/**
 * Counts a layer: a wrapped fetch, a composed dispatcher, an interceptor. While there is only one in a program,
 * no call is marked: a mark costs 0.15 µs a request, and on Node 22 the first one makes every `await` slower.
 */
export function countLayer(): void {
  shared().layers += 1;
}

/** Whether a call may pass through more than one layer. */
export function areLayered(): boolean {
  return shared().layers > 1;
}

/** The URL as all clients would write it, without the fragment, which is not sent. */
function hrefOf({ url }: RequestTraits): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  parsed.hash = '';
  return parsed.href;
}

function isSame(one: RequestTraits, other: RequestTraits): boolean {
  return one === other || (one.method === other.method && hrefOf(one) === hrefOf(other));
}

/** What lies around a request that begins: the layers above it, and the calls that it was started in. */
export interface Surroundings {
  /** The passage that it goes on; `undefined` for a call of its own. */
  readonly outer: Passage | undefined;
  /** The limits whose slots are held by the calls around it. */
  readonly slotsOf: readonly ConcurrencyLimit[];
}

const NOTHING: Surroundings = { outer: undefined, slotsOf: [] };

/**
 * Finds the layers above a request. Another request that starts inside an open call, for a token say, is a call
 * of its own; but a dispatcher takes it for a redirect's next hop once it has seen the call itself.
 *
 * @param carried what the options of the request hold under {@link LAYER}
 * @param isDispatch whether this layer is a dispatcher, below what follows redirects
 */
export function surroundings(request: RequestTraits, carried: unknown, isDispatch: boolean): Surroundings {
  if (!areLayered()) return NOTHING;
  const { storage, current } = shared();
  const told = carried as Passage | undefined;
  if (told?.call.open === true) {
    if (isDispatch) told.call.dispatched = true;
    return { outer: told, slotsOf: told.call.slotsOf };
  }
  let slotsOf: readonly ConcurrencyLimit[] = [];
  for (const found of [storage?.getStore(), current]) {
    if (found?.call.open !== true) continue;
    const { call } = found;
    const isIts = isSame(call.request, request);
    if (isIts && isDispatch) call.dispatched = true;
    if (isIts || (isDispatch && call.dispatched)) return { outer: found, slotsOf: call.slotsOf };
    slotsOf = call.slotsOf;
  }
  return { outer: undefined, slotsOf };
}

/** Calls what sends a request, so that layers below find the passage. */
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

/** Which of all ends would be the next: what ends from here on has a number from this. */
export function nextEnd(): number {
  return shared().ends;
}

/**
 * Notes that a layer was done with a request, and ended with this. Only without a storage, as in browsers: there
 * a layer that was not recognised may have retried already, and the one above must not do it again.
 */
export function noteEnd(result: unknown): void {
  const state = shared();
  if (state.storage !== undefined || state.layers < 2) return;
  if (typeof result !== 'object' || result === null) return;
  state.ended.set(result, state.ends);
  state.ends += 1;
}

/** Whether a layer below has ended with this since the end of that number. */
export function hasEndedBelow(result: unknown, since: number): boolean {
  const { storage, ended } = shared();
  if (storage !== undefined || typeof result !== 'object' || result === null) return false;
  return (ended.get(result) ?? -1) >= since;
}
