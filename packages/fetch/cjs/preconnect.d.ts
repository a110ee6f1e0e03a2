type NativeFetch = typeof globalThis.fetch;
/** Bun's `fetch.preconnect`, which opens a connection in advance; an empty type elsewhere. */
export type Preconnecting = Pick<NativeFetch, Extract<keyof NativeFetch, 'preconnect'>>;
/** Gives a fetch the `preconnect` of its base fetch, or else of the runtime's fetch. */
export declare function withPreconnect<F extends object>(fetch: F, baseFetch: object): F & Preconnecting;
export {};
//# sourceMappingURL=preconnect.d.ts.map