import { ebbInterceptor } from '@ebb/axios';
import type { PolicyOptions } from '@ebb/core';
import type { Rival } from '../rivals/rival.ts';
import { limits, nthOptions } from './limits.ts';

export function withOptions(options: () => PolicyOptions, synchronous = false): Rival<'axios'> {
  return {
    wrap(bare, nth) {
      bare.interceptors.request.use(ebbInterceptor(nthOptions(options(), nth)), null, { synchronous });
      return bare;
    },
  };
}

export default {
  ebb: withOptions(() => ({})),
  'ebb, synchronous': withOptions(() => ({}), true),
  'ebb, a bucket': withOptions(limits.bucket),
  'ebb, a budget': withOptions(limits.budget),
  'ebb, slots': withOptions(limits.slots),
  'ebb, all three': withOptions(limits.all),
} satisfies Readonly<Record<string, Rival<'axios'>>>;
