export type Fetch = typeof globalThis.fetch;

/** What a fetch response says and axios does not pass on. */
export interface RecordedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly redirected: boolean;
  readonly url: string;
}

/** Keyed by the `Request` that axios passes to fetch and exposes as `request` in its response or error. */
const records = new WeakMap<object, RecordedResponse>();

export function recordedResponse(request: unknown): RecordedResponse | undefined {
  return typeof request === 'object' && request !== null ? records.get(request) : undefined;
}

/** One wrapper for each fetch: axios builds an adapter for each fetch that it is given, and caches it. */
const wrappers = new WeakMap<Fetch, Fetch>();
let globalWrapper: Fetch | undefined;

/** A fetch that records each response. Without `base` it calls the global fetch as it is at the time of the call. */
export function recordingFetch(base: Fetch | undefined): Fetch {
  if (base === undefined) {
    globalWrapper ??= wrap(() => globalThis.fetch);
    return globalWrapper;
  }
  let wrapper = wrappers.get(base);
  if (wrapper === undefined) {
    wrapper = wrap(() => base);
    wrappers.set(base, wrapper);
  }
  return wrapper;
}

function wrap(base: () => Fetch): Fetch {
  return async function fetchAndRecord(input, init) {
    // Called as a plain function: a browser's fetch throws on a foreign `this`.
    const fetch = base();
    const response = await fetch(input, init);
    if (typeof input === 'object') {
      const { status, headers, redirected, url } = response;
      records.set(input, { status, headers, redirected, url });
    }
    return response;
  };
}
