import { LAYER } from '@ebb/core/adapter';
import type { EbbRequestInit, FetchInput } from './init.ts';

/** What is changed in an init before it reaches the base fetch. */
export interface InitChanges {
  body?: BodyInit;
  duplex?: 'half';
  headers?: HeadersInit;
  signal?: AbortSignal;
  /** What the layers of ebb below know this call by. */
  [LAYER]?: object;
}

/** A `Request` by its shape, since it may come from another realm. */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'url' in value && 'clone' in value;
}

/** What fetch reads of an init, which an object may inherit from its class. */
const MEMBERS = [
  'method',
  'headers',
  'body',
  'duplex',
  'signal',
  'redirect',
  'mode',
  'credentials',
  'cache',
  'referrer',
  'referrerPolicy',
  'integrity',
  'keepalive',
  'priority',
  'window',
  'dispatcher',
] as const;

function isPlain(init: object): boolean {
  const prototype = Object.getPrototypeOf(init);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether an init can be copied at no risk, for something that it can do without. */
export function isEasilyCopied(init: EbbRequestInit | undefined): boolean {
  return init === undefined || (typeof init === 'object' && init !== null && isPlain(init));
}

/** What the base fetch is called with if that is not just what the caller gave. */
export function changed(
  input: FetchInput,
  init: EbbRequestInit | undefined,
  changes: InitChanges,
): [FetchInput, RequestInit] {
  // A `Request` in the place of an init cannot be copied member by member: its members are getters of its class.
  if (isRequest(init)) return [new Request(input, init), changes as RequestInit];
  // The base fetch tells what is wrong with it.
  if (init !== undefined && init !== null && typeof init !== 'object') return [input, init];
  const { ebb: _, ...own } = init ?? {};
  const copy: Record<PropertyKey, unknown> = { ...own };
  if (init && !isPlain(init)) {
    for (const name of MEMBERS) {
      if (name in init && !(name in copy)) copy[name] = (init as Record<string, unknown>)[name];
    }
  }
  return [input, { ...(copy as RequestInit), ...(changes as RequestInit) }];
}
