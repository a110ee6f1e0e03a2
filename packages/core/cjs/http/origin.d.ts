import type { RequestTraits } from './outcome.ts';
/** Scheme, host and port of a URL; the URL itself if it cannot be parsed. */
export declare function originOf({ url }: Pick<RequestTraits, 'url'>): string;
//# sourceMappingURL=origin.d.ts.map