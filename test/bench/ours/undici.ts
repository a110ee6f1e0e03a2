import { createPolicy, type PolicyOptions } from '@ebb/core';
import { hedged } from '@ebb/hedge/undici';
import { ebbInterceptor } from '@ebb/undici';
import type { Dispatch, Rival } from '../rivals/rival.ts';
import { limits, nthOptions } from './limits.ts';

export function withOptions(options: () => PolicyOptions): Rival<'undici'> {
  return { wrap: (bare, nth) => ebbInterceptor(nthOptions(options(), nth))(bare as never) as Dispatch };
}

/** For the options that refuse no retry. */
function retrying(options: () => PolicyOptions): Rival<'undici'> {
  return {
    ...withOptions(options),
    retrying: (bare, delayMs) => withOptions(() => ({ ...options(), backoff: () => delayMs })).wrap(bare),
  };
}

/** Requests that are fast are not hedged. */
const hedging: Rival<'undici'> = {
  wrap(bare, nth) {
    const policy = createPolicy(nthOptions({}, nth));
    return ebbInterceptor(policy)(hedged({ policy })(bare as never)) as Dispatch;
  },
};

export default {
  ebb: retrying(() => ({})),
  'ebb, a bucket': retrying(limits.bucket),
  'ebb, a budget': withOptions(limits.budget),
  'ebb, slots': withOptions(limits.slots),
  'ebb, hedges': hedging,
  'ebb, all three': withOptions(limits.all),
} satisfies Readonly<Record<string, Rival<'undici'>>>;
