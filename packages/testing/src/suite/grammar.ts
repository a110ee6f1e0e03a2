import type { EbbEvent } from '@ebb/core';

/** A letter for each event of a call; none for those that may come at any time. */
const LETTERS: Readonly<Partial<Record<EbbEvent['type'], string>>> = {
  'attempt-skipped': 's',
  wait: 'w',
  attempt: 'a',
  hedge: 'h',
  retry: 'r',
  end: 'e',
};

/** Waits and skipped attempts, then an attempt with its hedges; again after each retry; and one end, last. */
const CALL = /^([sw]*ah*r)*[sw]*(ah*)?e$/;

/** The events of a request without a call: of a hedge, of a resumption, and of a throttle that learns from either. */
const NO_CALL = /^h*$/;

/**
 * Says what is wrong with the order of the events of calls that have all ended; `undefined` if nothing is. Every call has exactly
 * one `end`, and every attempt is followed by its `retry` or by the `end`.
 */
export function orderFault(events: readonly EbbEvent[]): string | undefined {
  const words = new Map<object, string>();
  for (const { request, type } of events)
    words.set(request, (words.get(request) ?? '') + (LETTERS[type] ?? ''));
  const wrong = [...words].find(([, word]) => !CALL.test(word) && !NO_CALL.test(word));
  if (wrong === undefined) return undefined;
  return events.flatMap(({ request, type }) => (request === wrong[0] ? [type] : [])).join(', ');
}
