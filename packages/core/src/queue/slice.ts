/** Work in one turn of the event loop: a long queue that is served all at once must not block the program. In half microseconds. */
export const SLICE = 20_000;

/** What a grant costs of it: its request is sent in the same turn. */
export const GRANT = 200;

/** What a refusal costs: an error captures a stack trace. */
export const REFUSAL = 40;

/** What the end of an aborted request costs. Looking at one costs 1. */
export const ABORT = 20;
