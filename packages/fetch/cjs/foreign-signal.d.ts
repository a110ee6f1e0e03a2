/** True if the runtime's own fetch rejects a request with this signal: it then has to get the signal itself. */
export declare function isRefusedByRuntime(signal: AbortSignal): boolean;
//# sourceMappingURL=foreign-signal.d.ts.map