/**
 * A URL without its credentials, its query and its fragment. Of a URL that has no host, such as `data:`, only the scheme is
 * left.
 */
export declare function withoutSecrets(url: string): string;
//# sourceMappingURL=url.d.ts.map