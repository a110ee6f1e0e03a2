/** The instrumentation scope of all spans and metrics. */
export const SCOPE = '@ebb/opentelemetry';

/** The version of the scope and of this package. A release writes the version. */
export const VERSION = '0.1.0';
