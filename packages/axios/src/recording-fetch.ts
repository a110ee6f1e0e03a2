export type Fetch = typeof globalThis.fetch;

/** What a response of fetch tells, and axios keeps to itself. */
export interface Note {
  readonly status: number;
  readonly headers: Headers;
  readonly redirected: boolean;
  readonly url: string;
}

/** By the request that axios makes for fetch, and shows in its response or error. */
const notes = new WeakMap<object, Note>();

export function noteOf(request: unknown): Note | undefined {
  return typeof request === 'object' && request !== null ? notes.get(request) : undefined;
}

/** By the fetch below, once each: axios makes an adapter for each fetch that it sees, and keeps it. */
const watches = new WeakMap<Fetch, Fetch>();
let ofGlobal: Fetch | undefined;

/** A fetch that keeps a note of each response; without one given, over the global one of the moment. */
export function watched(base: Fetch | undefined): Fetch {
  if (base === undefined) {
    ofGlobal ??= watch(() => globalThis.fetch);
    return ofGlobal;
  }
  let one = watches.get(base);
  if (one === undefined) {
    one = watch(() => base);
    watches.set(base, one);
  }
  return one;
}

function watch(base: () => Fetch): Fetch {
  return async function watching(input, init) {
    // Not as a method: browsers' own fetch has no receiver.
    const fetch = base();
    const response = await fetch(input, init);
    if (typeof input === 'object') {
      const { status, headers, redirected, url } = response;
      notes.set(input, { status, headers, redirected, url });
    }
    return response;
  };
}
