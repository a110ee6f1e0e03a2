import { createPolicy, type PolicyOptions } from '@ebb/core';
import { type BaseFetch, createFetch } from '@ebb/fetch';
import { hedged } from '@ebb/hedge/fetch';
import type { Rival } from '../rivals/rival.ts';
import { limits, nthOptions } from './limits.ts';

export function withOptions(options: () => PolicyOptions): Rival<'fetch'> {
  return { wrap: (bare, nth) => createFetch(nthOptions(options(), nth), bare as typeof fetch) };
}

/** For the options that refuse no retry. */
function retrying(options: () => PolicyOptions): Rival<'fetch'> {
  return {
    ...withOptions(options),
    retrying: (bare, delayMs) => withOptions(() => ({ ...options(), backoff: () => delayMs })).wrap(bare),
  };
}

/** Requests that are fast are not hedged. */
const hedging: Rival<'fetch'> = {
  wrap(bare, nth) {
    const policy = createPolicy(nthOptions({}, nth));
    return createFetch(policy, hedged(bare as BaseFetch, { policy }));
  },
};

export default {
  ebb: retrying(() => ({})),
  'ebb, a bucket': { ...retrying(limits.bucket), needs: 'response' },
  'ebb, a budget': { ...withOptions(limits.budget), needs: 'response' },
  'ebb, slots': { ...withOptions(limits.slots), needs: 'reader' },
  'ebb, hedges': { ...hedging, needs: 'response' },
  'ebb, all three': { ...withOptions(limits.all), needs: 'reader' },
} satisfies Readonly<Record<string, Rival<'fetch'>>>;
