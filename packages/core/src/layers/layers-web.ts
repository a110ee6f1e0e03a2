import type { RequestTraits } from '../http/outcome.ts';
import {
  type LayeredCall,
  type LayersFound,
  NO_LAYERS,
  type OtherRetries,
  type Passage,
  type Way,
} from './layer.ts';

// Browsers have no async context. A layer below finds the passage in the options of its request, and nowhere else.

/** How many layers there are. With one, calls need no passage. */
let layers = 0;

/** Counts a layer: a wrapped fetch, an interceptor. */
export function countLayer(_isDispatcher?: boolean): void {
  layers += 1;
}

/** True if a call may have been made within another one. */
export function areLayered(): boolean {
  return layers > 1;
}

/** True if a call that is sent this way may pass through another layer, and so needs a passage. */
export function mayBeLayered(way: Way): boolean {
  // A custom adapter may send through another instance with the same interceptor, which is one layer.
  return way === 'converted' || (layers > 1 && way === 'client');
}

/** Nothing can tell here. A call says it itself. */
export function isWithinCall(): boolean {
  return false;
}

const fetchAtLoad: unknown = globalThis.fetch;

/** True for the runtime's own fetch, in which there is no layer. */
export function isNativeFetch(fetch: unknown): boolean {
  return fetch === fetchAtLoad;
}

/** Finds the layer above a request by what its options carry. */
export function layersFound(_request: RequestTraits, carried: unknown, _isDispatch: boolean): LayersFound {
  const outer = carried as Passage | undefined;
  return outer?.call.open === true ? { outer, slotsOf: outer.call.slotsOf } : NO_LAYERS;
}

/** Nothing can tell here who has made a request. */
export function noteFailure(_around: LayersFound): void {}

/** Runs user code. What it sends waits for a slot as any other request. */
export function withSlots<T>(_slotsOf: readonly object[], run: () => T): T {
  return run();
}

export function openCall(call: LayeredCall): void {
  call.open = true;
}

export function closeCall(call: LayeredCall): void {
  call.open = false;
}

/** Calls what sends a request: its options have the passage. */
export function runIn<T>(_passage: Passage, send: () => T): T {
  return send();
}

/** What layers have failed with, with the number of its end. */
const ended = /* @__PURE__ */ new WeakMap<object, number>();
let ends = 0;

/** To be taken when an attempt is sent: what {@link hasEndedBelow} needs of that time. */
export function sentNow(): number {
  return ends;
}

/** Notes what a layer has failed with: one above that it did not find must not retry the same result again. */
export function noteEnd(result: unknown): void {
  if (layers > 1 && Object(result) === result) ended.set(result as object, ends++);
}

/** True if a layer below has failed with this result since. */
export function hasEndedBelow(result: unknown, since: number): boolean {
  return (ended.get(result as object) ?? -1) >= since;
}

/** The SDKs that retry run on servers. */
export function otherRetriesOf(_request: RequestTraits): OtherRetries | undefined {
  return undefined;
}
