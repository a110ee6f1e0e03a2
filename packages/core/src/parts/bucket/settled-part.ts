import { seesBodiesEnd } from '#platform';
import { whenBodyEnds } from '../../bodies/watch.ts';
import type { Outcome } from '../../http/outcome.ts';
import type { Grant, OwnBucket } from '../../loop/contracts.ts';
import type { Part } from '../../loop/part.ts';
import { BucketTurn } from './part.ts';

/** As `bucketPart`, for a bucket that charges tokens when they are settled: those of an attempt when its body has ended. */
export function settledPart(bucket: OwnBucket, endsItself = false): Part {
  return {
    name: 'bucket',
    place: 'tokens',
    begin: (call) => new SettledTurn(bucket, call, endsItself),
  };
}

class SettledTurn extends BucketTurn {
  /** The tokens of an attempt whose response has come, and which are charged when its body has ended. */
  #open: Grant | undefined;

  override leave(outcome: Outcome | undefined): void {
    const { bucket, call, grant } = this;
    super.leave(outcome);
    // Another part may settle it once it knows the cost.
    if (outcome === undefined || grant === undefined || grant === call.metered) return;
    this.#open = grant;
    // The client then tells when the body has ended, as it does for a slot.
    call.limit ??= bucket;
  }

  free(once?: Promise<void>): void {
    const grant = this.#open;
    if (grant === undefined) return;
    this.#open = undefined;
    const { bucket, call } = this;
    if (call.limit === bucket) call.limit = undefined;
    const settle = (): void => grant.settle(grant.cost);
    if (once === undefined) settle();
    else void once.then(settle);
  }

  end(): void {
    // `leave` is not called if a layer below has judged the attempt, or the total timeout has ended it.
    const { call, grant } = this;
    if (grant !== call.metered) this.#open ??= grant;
    if (grant !== undefined || !(seesBodiesEnd || call.whenBodyEnds)) this.free();
  }
}

/**
 * A part that watches the body of each response to its end, for fetch in browsers and workers, and a bucket that charges at the end
 * (`settled`). Without it a browser charges with the response, and a worker when the response is garbage-collected, or after ten
 * minutes. Not needed beside `actualCost` or `concurrency`, which watch bodies as well, nor in Node, Bun and Deno, nor for undici and
 * axios. A value apart, so that programs without it do not carry its code.
 *
 * @example
 * ```ts
 * import { bodyEnds, createPolicy, quotaBucket } from '@ebb/core';
 *
 * const output = { refillPerSecond: 130, capacity: 8_000, settled: true };
 * const policy = createPolicy({ bucket: quotaBucket({ limits: { output } }), cost: 700, use: [bodyEnds] });
 * ```
 */
export const bodyEnds: Part = {
  name: 'body-ends',
  place: 'watching',
  begin: () => ({ whenBodyEnds }),
};
