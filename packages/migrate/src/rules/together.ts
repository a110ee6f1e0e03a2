import type { Reach } from '../file/source.ts';

/** Places that change together in all programs of a run: clients of a library, and the options of their requests. */
export interface Together {
  /** The text of uses of the library's clients in programs that do not name the library. */
  readonly keys?: RegExp;
  /** The places that an unchanged program may have, by its text alone. */
  reachOf(text: string): Reach;
  /** Why all of it stays; `undefined` if it may change. */
  heldBy(programs: readonly Reach[]): string | undefined;
}

/** True for a text that loads a library, or has its name for a key. */
export function names(text: string, library: string): boolean {
  return ["'", '"', '`'].some((quote) => text.includes(quote + library + quote));
}

function sumOf(programs: readonly Reach[]): Reach {
  const sum = (key: keyof Reach): number => programs.reduce((total, one) => total + one[key], 0);
  return { moved: sum('moved'), kept: sum('kept'), requests: sum('requests') };
}

const ONE: Reach = { moved: 0, kept: 1, requests: 1 };
const NONE: Reach = { moved: 0, kept: 0, requests: 0 };

/** Code that loads axios-retry, or takes its place in a test. */
const LOADS = /\b(from|import|require)\b[\s(]*(['"`])axios-retry\2|\bmock\(\s*(['"`])axios-retry\3/g;

/** Requests have their options under the name of the library, which tells them from all others. */
const AXIOS_RETRY: Together = {
  // A client that an earlier run has rewritten.
  keys: /['"]@ebb\/axios['"]/,
  reachOf(text) {
    if (!names(text, 'axios-retry')) return NONE;
    return { ...ONE, requests: names(text.replaceAll(LOADS, ''), 'axios-retry') ? 1 : 0 };
  },
  heldBy(programs) {
    const { moved, kept, requests } = sumOf(programs);
    if (requests === 0 || (moved > 0 && kept === 0)) return undefined;
    return kept === 0
      ? 'the client that sends this is in none of the files: migrate them together'
      : 'clients and the options of their requests change together, and some of them cannot';
  },
};

/** Requests have options that could be those of something else. */
function byKeys(keys: RegExp): Together {
  return {
    keys,
    reachOf: (text) => (keys.test(text) ? ONE : NONE),
    heldBy(programs) {
      const { moved, requests } = sumOf(programs);
      return moved > 0 && requests > 0
        ? 'a request elsewhere may have its options: give it `ebb` in their place'
        : undefined;
    },
  };
}

/** An error that stops retries may be thrown in one program, and caught by retries in another. */
const P_RETRY: Together = {
  reachOf: (text) =>
    names(text, 'p-retry') ? { ...ONE, requests: text.includes('AbortError') ? 1 : 0 } : NONE,
  heldBy: (programs) =>
    programs.some(
      ({ requests }, at) =>
        requests > 0 && programs.some(({ moved, kept }, other) => other !== at && moved + kept > 0),
    )
      ? 'an `AbortError` of one file may stop the retries of another'
      : undefined,
};

export const TOGETHER: Readonly<Record<string, Together>> = {
  'axios-retry': AXIOS_RETRY,
  'fetch-retry': byKeys(/\b(retries|retryDelay|retryOn)\b/),
  'p-retry': P_RETRY,
  ky: byKeys(/\bretry\b/),
};
