import type { EbbEvent } from '@ebb/core';

/** Events that may come anywhere before the end, and `resume`, which may also follow it. */
const ANYWHERE = /[mrosb]/g;

const LETTERS: Readonly<Record<string, string>> = {
  attempt: 'a',
  throttle: 'w',
  skip: 'k',
  hedge: 'h',
  retry: 'y',
  end: 'e',
  mark: 'm',
  share: 's',
  'other-retries': 'o',
  resume: 'r',
  blocked: 'b',
};

/** The events of one call: attempts that are each followed by a retry, but for the last; and one end. */
const CALL = /^([kw]*ah*y)*[kw]*(ah*)?e$/;

/** The first fault in the events of one call, which share the object `request`; `undefined` if there is none. */
export function checkGrammar(events: readonly EbbEvent[]): string | undefined {
  const types = events.map(({ type }) => LETTERS[type]).join('');
  const main = types.replace(ANYWHERE, '');
  return CALL.test(main) ? undefined : `events ${events.map(({ type }) => type).join(' ')}`;
}
