import type { Reach } from '../file/source.ts';

/** Places that change together in all programs of a run: clients of a library, and the options of their requests. */
export interface Together {
  /** The text of uses that may keep a client as it is. A program with such a text is not parsed for it. */
  readonly uses?: RegExp;
  /** Why all of it stays; `undefined` if it may change. */
  heldBy(programs: readonly Reach[], texts: readonly string[]): string | undefined;
}

/** True for a text that loads a library, or has its name for a key. */
export function names(text: string, library: string): boolean {
  return ["'", '"', '`'].some((quote) => text.includes(quote + library + quote));
}

/** `bottleneck` of `bottleneck/light`. */
export function packageOf(library: string): string {
  return library.replace(/\/.*/, '');
}

function sumOf(programs: readonly Reach[]): Reach {
  const sum = (key: 'moved' | 'kept' | 'requests'): number =>
    programs.reduce((total, one) => total + one[key], 0);
  return { moved: sum('moved'), kept: sum('kept'), requests: sum('requests') };
}

/** Why the types of the options of requests stay: the program has them. */
export const DECLARED = 'their types are declared';

/** The options of requests, which stay, have the types of the client. */
const AXIOS_RETRY: Together = {
  heldBy(programs) {
    const { moved, kept, requests } = sumOf(programs);
    if (moved === 0 || kept > 0) return 'some clients stay';
    return requests > 0 ? DECLARED : undefined;
  },
};

/** An error that stops retries may be thrown in one program, and caught by retries in another, which must know it. */
const P_RETRY: Together = {
  heldBy(programs) {
    const { moved, kept, requests } = sumOf(programs);
    if (requests === 0 || (moved > 0 && kept === 0)) return undefined;
    return kept === 0
      ? 'the call that this may stop is in none of the files'
      : 'a call that this may stop stays';
  },
};

/** A limiter may be used in other programs by what it has no more. */
const BOTTLENECK: Together = {
  uses: /\.(on|once|stop|disconnect|counts|jobs|jobStatus|updateSettings|chain|submit|incrementReservoir|currentReservoir|ready|check|queued|running|done|empty)\(/,
  heldBy(programs, texts) {
    const names = programs.flatMap((one) => one.names ?? []);
    for (const name of names) {
      const use = new RegExp(`\\b${name}\\??\\.(?!schedule\\b|wrap\\b|policy\\b)\\w+(?=\\()`);
      const found = texts.map((text) => use.exec(text)?.[0]).find(Boolean);
      if (found !== undefined) return `\`${found}\` of another file has no counterpart`;
    }
    return sumOf(programs).kept > 0 ? 'another limiter, or a group, stays' : undefined;
  },
};

/** By package. */
export const TOGETHER: Readonly<Record<string, Together>> = {
  'axios-retry': AXIOS_RETRY,
  'p-retry': P_RETRY,
  bottleneck: BOTTLENECK,
};
