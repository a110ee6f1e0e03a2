import type { SentHeaders } from '@ebb/core/adapter';
import { HeadersCopy, type RequestHeaders } from './headers.ts';

/** By lower-case name: what a header is called and set to, or `undefined` to remove it. */
type Changes = ReadonlyMap<string, readonly [name: string, value: string] | undefined>;

function changesByName(changes: SentHeaders): Changes {
  const byName = new Map<string, readonly [string, string] | undefined>();
  // The later of two spellings of a name wins.
  for (const [name, value] of Object.entries(changes)) {
    byName.set(name.toLowerCase(), value === undefined ? undefined : [name, value]);
  }
  return byName;
}

/** The headers that are set. */
function added(changes: Changes): (readonly [name: string, value: string])[] {
  return [...changes.values()].filter((pair) => pair !== undefined);
}

/** @param entries names and values alternate */
function changedList(entries: readonly unknown[], changes: Changes): unknown[] {
  // By pairs of positions: undici has an error of its own for a name without a value.
  const kept = entries.filter((_, at) => !changes.has(String(entries[at - (at % 2)]).toLowerCase()));
  return [...kept, ...added(changes).flat()];
}

function changedPairs(pairs: readonly unknown[], changes: Changes): unknown[] {
  const isKept = (pair: unknown): boolean =>
    !Array.isArray(pair) || !changes.has(String(pair[0]).toLowerCase());
  return [...pairs.filter(isKept), ...added(changes)];
}

function changedRecord(headers: object, changes: Changes): object {
  const kept = Object.entries(headers).filter(([name]) => !changes.has(name.toLowerCase()));
  return Object.fromEntries([...kept, ...added(changes)]);
}

/**
 * Request headers with changes, in the form in which they came. Invalid ones stay as they are: undici refuses them.
 *
 * @param headers must be readable more than once
 */
export function changedHeaders(headers: RequestHeaders, made: SentHeaders): RequestHeaders {
  const changes = changesByName(made);
  return changed(headers, changes) as RequestHeaders;
}

function changed(headers: unknown, changes: Changes): unknown {
  if (headers === undefined || headers === null) return changedRecord({}, changes);
  if (typeof headers !== 'object') return headers;
  if (Array.isArray(headers)) {
    return Array.isArray(headers[0]) ? changedPairs(headers, changes) : changedList(headers, changes);
  }
  if (!(Symbol.iterator in headers)) return changedRecord(headers, changes);
  return new HeadersCopy(changedPairs([...(headers as Iterable<unknown>)], changes));
}
