/** The instrumentation scope of all spans and metrics. */
export declare const SCOPE = "@ebb/opentelemetry";
/** That of the scope: of this package. A release writes it. */
export declare const VERSION = "0.1.0";
//# sourceMappingURL=scope.d.ts.map