import { recordedResponse } from './recording-fetch.ts';
import type { Traits } from './traits.ts';

/** Which hop an outcome came from. */
export interface Origin {
  /** True unless it is certain that no redirect was followed. */
  readonly redirected: boolean;
  /** The URL of the last hop, if a redirect was followed and the URL is known. */
  readonly url?: string | undefined;
}

const FIRST_HOP: Origin = { redirected: false };
const UNKNOWN_HOP: Origin = { redirected: true };

/** The properties of an adapter's `request` that reveal redirects. */
interface ShownRequest {
  /** `follow-redirects`: the last hop's request refers to the one that follows; an error carries that one itself. */
  readonly _redirectable?: ShownRequest;
  readonly _redirectCount?: number;
  readonly _currentUrl?: string;
  /** `Request` of fetch. */
  readonly redirect?: unknown;
  /** `XMLHttpRequest`. */
  readonly responseURL?: unknown;
}

/**
 * Tells from an adapter's `request` which hop an outcome came from. The response of a redirect's target says nothing
 * about whether the first server did its work, so a redirect is ruled out only by proof.
 */
export function originOf(traits: Traits, request: unknown): Origin {
  const { config } = traits;
  const shown = (request ?? {}) as ShownRequest;
  const hops = (shown._redirectable ?? shown)._redirectCount;
  if (typeof hops === 'number') {
    return hops === 0 ? FIRST_HOP : { redirected: true, url: (shown._redirectable ?? shown)._currentUrl };
  }
  const recorded = recordedResponse(request);
  if (recorded !== undefined) return recorded.redirected ? recorded : FIRST_HOP;
  if (typeof shown.redirect === 'string') return shown.redirect === 'follow' ? UNKNOWN_HOP : FIRST_HOP;
  if (typeof shown.responseURL === 'string' && shown.responseURL !== '') {
    const url = shown.responseURL;
    const isRequested = [traits.url, config.url ?? ''].some(
      (requested) => normalized(requested) === normalized(url),
    );
    return isRequested ? FIRST_HOP : { redirected: true, url };
  }
  // Node's HTTP/2 follows no redirects, and `maxRedirects` applies to the http adapter alone.
  const followsNone = config.maxRedirects === 0 || Number(config.httpVersion) === 2;
  return followsNone && !isXhr(shown) ? FIRST_HOP : UNKNOWN_HOP;
}

function isXhr(shown: ShownRequest): boolean {
  return 'responseURL' in shown;
}

/** As a browser serializes it, without the fragment, which is not sent. */
function normalized(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/#.*$/s, '');
}
