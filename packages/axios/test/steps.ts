import type { Step } from '../../../test/server.ts';

export const DOWN: Step = { status: 503, body: 'down' };
export const UP: Step = { status: 200, body: 'up' };
/** A body of 64 KiB. */
export const KIB_64: string = 'x'.repeat(64 * 1024);
