import { whenBodyEnds } from '../../bodies/watch.ts';
import type { Part } from '../../loop/part.ts';

/**
 * A part that watches the body of each response to its end, for fetch in browsers and workers, and a bucket that charges at the end
 * (`settled`). Without it a browser charges with the response, and a worker when the response is garbage-collected, or after ten
 * minutes. Not needed beside `actualCost` or `concurrency`, which watch bodies as well, nor in Node, Bun and Deno, nor for undici and
 * axios. A value apart, so that programs without it do not carry its code.
 *
 * @example
 * ```ts
 * import { bodyEnds, createPolicy, tokenBucket } from '@ebb/core';
 *
 * const bucket = tokenBucket({ refillPerSecond: 130, capacity: 8_000, settled: true });
 * const policy = createPolicy({ bucket, cost: 700, use: [bodyEnds] });
 * ```
 */
export const bodyEnds: Part = {
  name: 'body-ends',
  place: 'watching',
  begin: () => ({ whenBodyEnds }),
};
