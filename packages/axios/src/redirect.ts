import type { InternalAxiosRequestConfig } from 'axios';
import { noteOf } from './recording-fetch.ts';

/** Where the outcome of a request came from. */
export interface Origin {
  /** Whether it came, or may have come, from where a redirect led. */
  readonly redirected: boolean;
  readonly url?: string | undefined;
}

const FIRST_HOP: Origin = { redirected: false };
const NO_TELLING: Origin = { redirected: true };

/** As much of what adapters show as their request as tells of redirects. */
interface Shown {
  /** Node: the request of the last hop has the one that follows redirects; an error has that itself. */
  readonly _redirectable?: Shown;
  readonly _redirectCount?: number;
  readonly _currentUrl?: string;
  /** A `Request`. */
  readonly redirect?: unknown;
  /** An `XMLHttpRequest`. */
  readonly responseURL?: unknown;
}

/**
 * Where the outcome of a request came from, by what its adapter shows as the request. A redirect is ruled out
 * only by what proves it: what came from its target says nothing of what the server that was asked has done.
 *
 * @param urlOf what was asked; called only for an `XMLHttpRequest`
 */
export function originOf(config: InternalAxiosRequestConfig, request: unknown, urlOf: () => string): Origin {
  const shown = (request ?? {}) as Shown;
  const hops = (shown._redirectable ?? shown)._redirectCount;
  if (typeof hops === 'number') {
    return hops === 0 ? FIRST_HOP : { redirected: true, url: (shown._redirectable ?? shown)._currentUrl };
  }
  const note = noteOf(request);
  if (note !== undefined) return note.redirected ? note : FIRST_HOP;
  if (typeof shown.redirect === 'string') return shown.redirect === 'follow' ? NO_TELLING : FIRST_HOP;
  if (typeof shown.responseURL === 'string' && shown.responseURL !== '') {
    const url = shown.responseURL;
    const isAsked = [urlOf(), config.url ?? ''].some((asked) => plain(asked) === plain(url));
    return isAsked ? FIRST_HOP : { redirected: true, url };
  }
  // Node's HTTP/2 knows no redirects, and `maxRedirects` counts for Node's adapter alone.
  const followsNone = config.maxRedirects === 0 || Number(config.httpVersion) === 2;
  return followsNone && !isXhr(shown) ? FIRST_HOP : NO_TELLING;
}

function isXhr(shown: Shown): boolean {
  return 'responseURL' in shown;
}

/** As a browser writes it, without the fragment, which is not sent. */
function plain(url: string): string {
  return (URL.parse(url)?.href ?? url).replace(/#.*$/s, '');
}
