/** The instrumentation scope of all spans and metrics. */
export const SCOPE = '@ebb/opentelemetry';

/** That of the scope: of this package. A release writes it. */
export const VERSION = '0.1.0';
