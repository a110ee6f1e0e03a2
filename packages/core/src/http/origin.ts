import type { RequestTraits } from './outcome.ts';

/** The scheme, the host and the port; the URL as it is, if it has none. */
export function originOf({ url }: Pick<RequestTraits, 'url'>): string {
  return URL.parse(url)?.origin ?? url;
}
