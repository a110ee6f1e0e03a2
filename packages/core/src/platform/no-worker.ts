import type * as cloudflare from './worker.ts';

/** Elsewhere all that runs in one global scope can wait for each other. */
export const worker: typeof cloudflare.worker | undefined = undefined;
