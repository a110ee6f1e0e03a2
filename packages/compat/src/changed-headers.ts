import type { RequestTraits } from '@ebb/core';

import { configOf } from './call-start.ts';

type Headers = Readonly<Record<string, unknown>>;
type Changes = Record<string, string | undefined>;

/** By request, its headers before a function of the program might have changed them, and what has changed until then. */
const known = /* @__PURE__ */ new WeakMap<RequestTraits, { before: Headers; readonly changes: Changes }>();

function namesAndValues(request: RequestTraits): Headers {
  return { ...(configOf(request)?.headers as Headers | undefined) };
}

/** Remembers the headers of a request as they are. */
export function rememberHeaders(request: RequestTraits): void {
  known.set(request, { before: namesAndValues(request), changes: known.get(request)?.changes ?? {} });
}

/** The headers that a program has changed in the config: an attempt is sent with those of the first one, and with these. */
export function changedHeaders(request: RequestTraits): Changes | undefined {
  const { before, changes } = known.get(request) ?? {};
  if (before === undefined || changes === undefined) return undefined;
  const now = namesAndValues(request);
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const value = now[name];
    if (before[name] === value) continue;
    changes[name] = value === undefined || value === null || value === false ? undefined : String(value);
  }
  return changes;
}
