import type { RequestTraits } from './outcome.ts';

/** Scheme, host and port of a URL; the URL itself if it cannot be parsed. */
export function originOf({ url }: Pick<RequestTraits, 'url'>): string {
  return URL.parse(url)?.origin ?? url;
}
